import { storableText, taskIdCharacters } from "@svc/protocol";
import type { Tx } from "../../../platform/database/database.ts";
import type { Tables } from "../../../schema/tables/index.ts";
import type { Commands, MovedCommands, ReportedResult } from "../../commands/index.ts";
import { fireIdOfKey } from "../firing/command-parameters.ts";
import type { FireMove } from "../states.ts";
import { lockFire, moveFires, moveLockedFire } from "./progress-store.ts";

/**
 * Keeps fires in step with their commands. Every move of a fire is made in the transaction that moves its command, so the history is exact
 * whenever a process is killed.
 */
export function followCommands(
  commands: Pick<Commands, "onMoved"> & { readonly reports: Pick<Commands["reports"], "onResult"> },
): void {
  commands.onMoved("schedule.fire", follow);
  commands.reports.onResult("schedule.fire", record);
}

type CommandMove = MovedCommands["move"];

const moveOf: Partial<Record<CommandMove, { readonly move: FireMove; readonly code: string | null }>> = {
  claim: { move: "dispatch", code: null },
  expire: { move: "expire", code: "command_timeout" },
  agent_revoked: { move: "cancel", code: "command_cancelled" },
  project_archived: { move: "cancel", code: "command_cancelled" },
  signing_failed: { move: "signing_failed", code: "signing_failed" },
};

async function follow(tx: Tx<Tables>, { move: commandMove, commands, error, now }: MovedCommands): Promise<void> {
  const found = moveOf[commandMove];
  if (found === undefined) return;
  const { move, code } = found;
  const fireIds = commands.flatMap(({ idempotency_key }) => fireIdOfKey(idempotency_key) ?? []);
  const change = move === "dispatch" ? { dispatched_at: now } : { error_code: code, error_message: error };
  await moveFires(tx, fireIds, { move, ...change });
}

async function record(tx: Tx<Tables>, { command, status, result, error, isLate, now }: ReportedResult): Promise<void> {
  const fireId = fireIdOfKey(command.idempotency_key);
  if (isLate || fireId === null) return;
  const fire = await lockFire(tx, fireId);
  if (fire === undefined) return;
  const acked = { acked_at: now, latency_ms: latencyOf(fire, now) };
  await moveLockedFire(
    tx,
    fire,
    status === "completed"
      ? { move: "report_success", ...acked, task_id: readTaskId(result.task_id) }
      : { move: "report_failure", ...acked, error_code: "command_failed", error_message: error },
  );
}

/** Milliseconds from the dispatch to the acknowledgement; null for a fire that was never dispatched. */
export const latencyOf = ({ dispatched_at: at }: { readonly dispatched_at: Date | null }, now: Date): number | null =>
  at === null ? null : Math.max(0, now.getTime() - at.getTime());

/** The id of the new task; null for one that no task can have. */
export const readTaskId = (given: unknown): string | null =>
  typeof given === "string" && given !== "" && given.length <= taskIdCharacters ? storableText(given) : null;
