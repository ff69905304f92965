import { taskRowId, terminalTaskStates } from "@svc/protocol";
import type { DialectName, Tx } from "../../platform/database/database.ts";
import type { BulkRetryRequestRow, Tables } from "../../schema/tables/index.ts";
import { type RetriedTask, tasksByRowId } from "../tasks/index.ts";
import { awaitedChildren, noteTaskOutcome } from "./children-store.ts";

type CanaryColumns = Pick<
  BulkRetryRequestRow,
  "canary_size" | "canary_failures" | "control_state" | "blocked_reason" | "pending_count"
>;

const ended: ReadonlySet<string> = new Set(terminalTaskStates);

/**
 * Looks how the tasks of the first children ended. A retry that failed or whose outcome nobody knows counts as a failure; a task that goes on
 * is waited for until the request's deadline.
 *
 * @returns what changes of the request: blocked, or without a canary when it has passed.
 */
export async function judgeCanary(
  tx: Tx<Tables>,
  dialect: DialectName,
  row: BulkRetryRequestRow,
  claimedSoFar: number,
): Promise<Partial<CanaryColumns>> {
  const { canary_size: size, canary_max_failures: allowed } = row;
  if (size === null) return {};
  const awaited = await awaitedChildren(tx, row.id);
  const rowIdOf = (child: (typeof awaited)[number]) =>
    taskRowId(child.project_id, child.engine, child.new_task_id ?? child.task_id);
  const retried = awaited.filter(({ outcome }) => outcome === "succeeded");
  const ids = retried.map(rowIdOf);
  const tasks = ids.length === 0 ? [] : await tasksByRowId(tx, dialect, row.project_id, ids);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  let failures = row.canary_failures;
  let open = 0;
  for (const child of awaited) {
    const outcome =
      child.outcome === "failed" || child.outcome === "unknown"
        ? "failed"
        : child.outcome === "succeeded"
          ? endOf(byId.get(rowIdOf(child)), child)
          : null;
    if (outcome === null) open += 1;
    else await noteTaskOutcome(tx, child.id, outcome);
    if (outcome === "failed") failures += 1;
  }
  const counted = failures === row.canary_failures ? {} : { canary_failures: failures };
  if (row.pending_count === 0) return counted;
  if (failures > allowed) {
    const reason = `${failures} of the first ${size} tasks failed again, ${allowed} may`;
    return row.control_state === "running" ? { ...counted, control_state: "blocked", blocked_reason: reason } : counted;
  }
  return open === 0 && claimedSoFar >= size ? { ...counted, canary_size: null } : counted;
}

/** How the task of a retry ended; null while it has not, or shows the end that it had before. */
function endOf(
  task: RetriedTask | undefined,
  child: { readonly new_task_id: string | null; readonly ended_before_at: Date | null },
): "succeeded" | "failed" | null {
  if (task === undefined || !ended.has(task.state) || task.finished_at === null) return null;
  const isOldEnd = child.new_task_id === null && task.finished_at.getTime() === child.ended_before_at?.getTime();
  if (isOldEnd) return null;
  return task.state === "success" ? "succeeded" : "failed";
}
