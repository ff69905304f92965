import type { Tx } from "../../../platform/database/database.ts";
import { invalid, type ValidationFault } from "../../../platform/http/error-codes.ts";
import type { BrainDatabase, Tables } from "../../../schema/tables/index.ts";
import type { Audit, AuditOrigin } from "../../audit/index.ts";
import { instantsOf, matchesFilter, type TaskFilter } from "../query/filter.ts";
import type { BulkDeleteBody } from "../schemas.ts";
import { matchingIds } from "../search/find-matches.ts";
import { lockTasks } from "./delete-store.ts";
import { removeTasks } from "./remove.ts";

/** Maximum number of rows that one filter-mode call deletes, in task-UUID order. */
export const maxFilteredDeletes = 10_000;

export interface BulkDeleteDeps {
  readonly database: BrainDatabase;
  readonly audit: Pick<Audit, "append">;
  /** Called after the commit: the rows are deleted from every view. */
  deleted(projectId: string, ids: readonly string[]): void;
}

export type Selection = { readonly ids: readonly string[] } | { readonly filter: TaskFilter };

/**
 * Deletes tasks of one project by ids or by filter, with its audit row, in one transaction.
 *
 * @returns the number of deleted rows; unknown ids and ids of other projects are ignored.
 */
export async function bulkDelete(
  { database, audit, deleted }: BulkDeleteDeps,
  request: { projectId: string; body: BulkDeleteBody; origin: AuditOrigin },
): Promise<{ deleted_count: number }> {
  const { projectId, body, origin } = request;
  const selection = readSelection(body);
  const filter = "filter" in selection ? selection.filter : null;
  const ids =
    "ids" in selection ? selection.ids : await matchingIds(database, projectId, selection.filter, maxFilteredDeletes);
  const deleteSelected = async (tx: Tx<Tables>) => {
    const present = await lockTasks(tx, projectId, ids);
    // Rows changed since the selection are checked again under their lock: a task that was retried in between is no longer a failure.
    const doomed = filter === null ? present : present.filter((task) => matchesFilter(task, filter));
    await removeTasks(tx, doomed);
    await audit.append(tx, {
      ...origin,
      action: "tasks.bulk_delete",
      target_type: "project",
      target_id: projectId,
      project_id: projectId,
      metadata: { mode: filter === null ? "ids" : "filter", deleted_count: doomed.length },
    });
    return doomed.map(({ id }) => id);
  };
  // In its own transaction: its lock order prevents deadlocks only when no other work holds locks.
  const removed = await database.write(deleteSelected, { alone: true });
  deleted(projectId, removed);
  return { deleted_count: removed.length };
}

const textFilters = ["filter_search", "filter_name", "filter_queue", "filter_worker"] as const;

/** The one mode of a body; mixed and empty ones are a 422, and so is a body of only unknown keys, which would mean every task. */
export function readSelection(body: BulkDeleteBody): Selection {
  const ids = body.task_ids ?? null;
  const filter: TaskFilter = {
    ...(body.filter_state != null && { state: body.filter_state }),
    ...(body.filter_priority != null && { priorities: body.filter_priority }),
    ...(body.filter_search != null && { search: body.filter_search.toLowerCase() }),
    ...(body.filter_name != null && { name: body.filter_name }),
    ...(body.filter_queue != null && { queue: body.filter_queue }),
    ...(body.filter_worker != null && { worker: body.filter_worker }),
    ...instantsOf(body.filter_since, body.filter_until),
  };
  const isFiltered = Object.keys(filter).length > 0;
  if (ids !== null && isFiltered) throw fault(["body"], "mixed_modes", "give task_ids or filters, not both");
  if (ids !== null) return { ids: [...new Set(ids.map((id) => id.toLowerCase()))] };
  if (!isFiltered) throw fault(["body"], "empty", "give task_ids or at least one filter");
  const blank = textFilters.find((name) => body[name]?.trim() === "");
  if (blank !== undefined) throw fault(["body", blank], "blank", "must not be blank");
  return { filter };
}

const fault = (loc: ValidationFault["loc"], type: string, message: string) => invalid({ loc, type, message });
