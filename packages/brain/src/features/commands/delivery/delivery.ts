import { chunks } from "../../../platform/chunks.ts";
import type { CommandRow } from "../../../schema/tables/index.ts";
import type { EndedCommand } from "../results/result-signal.ts";
import type { ClaimedCommand, CommandDeps } from "./claim.ts";
import { agentsWithPending, expireDue, failUnsigned, isAnyDue, putBack } from "./delivery-store.ts";
import type { MoveHandlers } from "./move-handlers.ts";
import { agentsDueForResend, socketResendRule } from "./resend-store.ts";

export interface DeliveryDeps extends CommandDeps {
  /** What other features do in the transaction of a move. */
  readonly moves: Pick<MoveHandlers, "run">;
  changed(command: Pick<CommandRow, "id" | "project_id">): void;
  ended(commands: readonly EndedCommand[]): void;
  /** Called for agents with a command that is pending again. Reaches every process, since another connection may take it. */
  waits(agentId: string): void;
}

const rowsPerBatch = 1000;
const agentsPerStatement = 500;

/** Handles claimed commands that did not reach their agent, and open commands that have timed out. */
export function createDelivery({ database, clock, log, counted, moves, changed, ended, waits }: DeliveryDeps) {
  const deliveryOf = ({ id, payload }: ClaimedCommand) => ({ id, token: String(payload.delivery_claim_token) });

  return {
    /** The send of a claimed command failed. It is pending again if it may be repeated; otherwise it stays until its result or timeout. */
    async unsent(command: ClaimedCommand): Promise<void> {
      const row = await database.write((tx) => putBack(tx, deliveryOf(command)));
      log.info("commands.send_failed", { command_id: command.id, waits_again: row !== undefined });
      if (row === undefined) return;
      counted.moved(row, "pending");
      changed(row);
      if (row.agent_id !== null) waits(row.agent_id);
    },
    /** Fails a claimed command that cannot be signed. Never throws: if the update fails, the command times out and the others continue. */
    async unsigned(command: ClaimedCommand, error: string): Promise<void> {
      log.error("commands.signing_failed", { command_id: command.id });
      const now = clock.now();
      const row = await database
        .write(async (tx) => {
          const failed = await failUnsigned(tx, deliveryOf(command), { error, now });
          if (failed !== undefined) await moves.run(tx, { move: "signing_failed", commands: [failed], error, now });
          return failed;
        })
        .catch((cause: Error) => {
          log.warn("commands.signing_not_noted", { command_id: command.id, message: cause.message });
        });
      if (row === undefined) return;
      counted.moved(row, "failed");
      ended([row]);
    },
    /** Times out overdue commands. Safe in every process, since only one wins each row. */
    async expire(signal: AbortSignal): Promise<number> {
      let expired = 0;
      for (let batch = rowsPerBatch; batch === rowsPerBatch && !signal.aborted; ) {
        const now = clock.now();
        if (!(await isAnyDue(database.read, now))) break;
        const rows = await database.write(async (tx) => {
          const due = await expireDue(tx, { now, limit: rowsPerBatch });
          for (const [reason, commands] of Map.groupBy(due, ({ error }) => error)) {
            await moves.run(tx, { move: "expire", commands, error: reason, now });
          }
          return due;
        });
        for (const row of rows) counted.moved(row, "timeout");
        ended(rows);
        batch = rows.length;
        expired += batch;
      }
      return expired;
    },
    /** Those of the agents that have pending commands. */
    async waitingAgents(agentIds: readonly string[]): Promise<string[]> {
      const waiting: string[] = [];
      for (const some of chunks(agentIds, agentsPerStatement)) {
        waiting.push(...(await agentsWithPending(database.read, some, clock.now())));
      }
      return waiting;
    },
    /** Those of the agents that have unacknowledged commands which may be repeated and were last sent at or before `sentBy`. */
    async unacknowledgedAgents(agentIds: readonly string[], sentBy: Date): Promise<string[]> {
      const found: string[] = [];
      for (const some of chunks(agentIds, agentsPerStatement)) {
        found.push(...(await agentsDueForResend(database.read, some, socketResendRule(clock.now(), sentBy))));
      }
      return found;
    },
  };
}
