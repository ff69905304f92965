import type { Redactor } from "@svc/protocol";
import type { Core } from "../../../schema/tables/index.ts";
import type { AcknowledgeRequest, FireCalls } from "../requests.ts";
import type { FireMove } from "../states.ts";
import { latencyOf, readTaskId } from "./follow-commands.ts";
import { deletePendingFires, lockFire, moveLockedFire } from "./progress-store.ts";

const moveOf = {
  SUCCESS: "observe_success",
  FAILED: "observe_failure",
  TIMEOUT: "observe_timeout",
} as const satisfies Record<AcknowledgeRequest["status"], FireMove>;

const maxErrorCharacters = 8192;

/** Ends fires whose outcome a scheduler observed itself. */
export function createAcknowledge({
  database,
  clock,
  redactor,
}: Core & { readonly redactor: Pick<Redactor, "redact"> }): FireCalls["acknowledge"] {
  return ({ fireId, status, error, taskId }) =>
    database.write(async (tx) => {
      const fire = await lockFire(tx, fireId);
      if (fire === undefined) return false;
      const now = clock.now();
      const acked = { acked_at: now, latency_ms: latencyOf(fire, now) };
      const message = error === null ? null : storedText(redactor.redact(error.slice(0, maxErrorCharacters)) as string);
      const changed = await moveLockedFire(tx, fire, {
        move: moveOf[status],
        ...(status === "TIMEOUT" ? {} : acked),
        ...(status === "SUCCESS"
          ? { task_id: readTaskId(taskId) }
          : { error_code: status === "FAILED" ? "task_failed" : "timeout", error_message: message }),
      });
      if (changed) await deletePendingFires(tx, [fireId]);
      return changed;
    });
}

/** The server database cannot store U+0000. */
const storedText = (text: string): string =>
  text.slice(0, maxErrorCharacters).toWellFormed().replaceAll("\0", "\ufffd");
