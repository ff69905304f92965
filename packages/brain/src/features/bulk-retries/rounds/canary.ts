import { taskRowId, terminalTaskStates } from "@svc/protocol";
import type { Tx } from "../../../platform/database/database.ts";
import type { BulkRetryRequestRow, Tables } from "../../../schema/tables/index.ts";
import { type RetriedTask, tasksByRowId } from "../../tasks/index.ts";
import { controlMachine, controlOf, sentOf } from "../states.ts";
import { awaitedChildren, noteTaskOutcome } from "./children-store.ts";

const finalStates: ReadonlySet<string> = new Set(terminalTaskStates);

/** Results of the canary tasks so far. */
export interface CanaryProgress {
  readonly failures: number;
  /** Not retried yet, or not finished again. */
  readonly unended: number;
}

/**
 * Reads how the canary tasks ended and records each result once. A failed retry, or one with an unknown outcome, counts as a failure. An
 * unfinished task is awaited until the request's deadline.
 *
 * @returns null without a canary.
 */
export async function readCanary(tx: Tx<Tables>, row: BulkRetryRequestRow): Promise<CanaryProgress | null> {
  if (row.canary_size === null) return null;
  const awaited = await awaitedChildren(tx, row.id);
  const rowIdOf = (child: (typeof awaited)[number]) =>
    taskRowId(child.project_id, child.engine, child.new_task_id ?? child.task_id);
  const retried = awaited.filter(({ outcome }) => outcome === "succeeded");
  const ids = retried.map(rowIdOf);
  const tasks = ids.length === 0 ? [] : await tasksByRowId(tx, row.project_id, ids);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  let failures = row.canary_failures;
  let unended = Math.max(0, row.canary_size - sentOf(row));
  for (const child of awaited) {
    const outcome =
      child.outcome === "failed" || child.outcome === "unknown"
        ? "failed"
        : child.outcome === "succeeded"
          ? endOf(byId.get(rowIdOf(child)), child)
          : null;
    if (outcome === null) unended += 1;
    else await noteTaskOutcome(tx, child.id, outcome);
    if (outcome === "failed") failures += 1;
  }
  return { failures, unended };
}

/** Blocks a request whose canary failed, even if its deadline already blocked it. Releases the rest when the canary passed. */
export function judgeCanary(row: BulkRetryRequestRow, { failures, unended }: CanaryProgress): void {
  row.canary_failures = failures;
  if (row.pending_count === 0) return;
  if (failures <= row.canary_max_failures) {
    if (unended === 0) row.canary_size = null;
    return;
  }
  const blocked = controlMachine.next(row.control_state, "canary_failed");
  if (blocked !== null) {
    row.control_state = blocked;
    row.blocked_reason = `${failures} of the ${row.canary_size} canary tasks failed again (allowed: ${row.canary_max_failures})`;
  }
}

/** All canary tasks were sent, and the other tasks wait for their results. */
export const isHeldByCanary = (row: BulkRetryRequestRow): boolean =>
  row.canary_size !== null && sentOf(row) >= row.canary_size;

/**
 * Changes to the canary when an operator resumes the request at `now`: none unless the canary blocked it. A request past its deadline is
 * blocked even before a round has recorded it.
 */
export async function resumedCanary(
  tx: Tx<Tables>,
  { row, now }: { row: BulkRetryRequestRow; now: Date },
): Promise<Partial<Pick<BulkRetryRequestRow, "canary_size" | "canary_failures">>> {
  if (controlOf(row, now) !== "blocked" || row.canary_size === null) return {};
  if (row.canary_failures > row.canary_max_failures) return { canary_size: null };
  if (!isHeldByCanary(row)) return {};
  // It was blocked by unfinished canary tasks. Failures since then have not been reported to the operator.
  const failures = (await readCanary(tx, row))?.failures ?? 0;
  return { canary_failures: failures, ...(failures <= row.canary_max_failures && { canary_size: null }) };
}

/** How a retried task ended; null while it is unfinished, or still shows the end of an earlier run. */
function endOf(
  task: RetriedTask | undefined,
  child: { readonly new_task_id: string | null; readonly ended_before_at: Date | null },
): "succeeded" | "failed" | null {
  if (task === undefined || !finalStates.has(task.state) || task.finished_at === null) return null;
  const isOldEnd = child.new_task_id === null && task.finished_at.getTime() === child.ended_before_at?.getTime();
  if (isOldEnd) return null;
  return task.state === "success" ? "succeeded" : "failed";
}
