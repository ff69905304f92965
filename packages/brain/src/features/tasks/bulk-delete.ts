import type { Database } from "../../platform/database/database.ts";
import { invalid, type ValidationFault } from "../../platform/http/error-codes.ts";
import type { Tables } from "../../schema/tables/index.ts";
import type { Audit, AuditOrigin } from "../audit/index.ts";
import { appendStateDeltas } from "../stats/index.ts";
import { deleteTasks, type LockedTask, lockTasks } from "./delete-store.ts";
import { instantsOf, matchesFilter, type TaskFilter } from "./filter.ts";
import { matchingIds } from "./matching-ids.ts";
import type { BulkDeleteBody } from "./schemas.ts";

/** Rows that one filter-mode call deletes at most, in task-UUID order. */
export const maxFilteredDeletes = 10_000;

export interface BulkDeleteDeps {
  readonly database: Database<Tables>;
  readonly audit: Pick<Audit, "append">;
  /** After the commit: the rows are gone from every view. */
  deleted(projectId: string, ids: readonly string[]): void;
}

export type Selection = { readonly ids: readonly string[] } | { readonly filter: TaskFilter };

/**
 * Deletes tasks of one project by ids or by filter, with its audit row, in one transaction.
 *
 * @returns how many rows went; ids of other projects and unknown ids are passed over.
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
  const gone = await database.write(async (tx) => {
    const present = await lockTasks(tx, database.dialect, projectId, ids);
    // What changed since it was selected is judged again under its lock: a task that was retried meanwhile is no failure any more.
    const doomed = filter === null ? present : present.filter((task) => matchesFilter(task, filter));
    await deleteTasks(tx, database.dialect, projectId, doomed);
    await appendStateDeltas(tx, lossesByState(projectId, doomed));
    await audit.append(tx, {
      ...origin,
      action: "tasks.bulk_delete",
      target_type: "project",
      target_id: projectId,
      project_id: projectId,
      metadata: { mode: filter === null ? "ids" : "filter", deleted_count: doomed.length },
    });
    return doomed.map(({ id }) => id);
  });
  deleted(projectId, gone);
  return { deleted_count: gone.length };
}

function lossesByState(projectId: string, tasks: readonly LockedTask[]) {
  const losses = new Map<string, number>();
  for (const { state } of tasks) losses.set(state, (losses.get(state) ?? 0) - 1);
  return [...losses].map(([state, by]) => ({ projectId, state, by }));
}

/** The one mode that a body asks for; every mixture and emptiness is a 422. */
export function readSelection(body: BulkDeleteBody): Selection {
  const filters = Object.entries(body).filter(([name, value]) => name.startsWith("filter_") && value != null);
  const ids = body.task_ids ?? null;
  if (ids !== null && filters.length > 0) throw fault(["body"], "mixed_modes", "give task_ids or filters, not both");
  if (ids !== null) return { ids: [...new Set(ids.map((id) => id.toLowerCase()))] };
  if (filters.length === 0) throw fault(["body"], "empty", "give task_ids or at least one filter");
  const blank = filters.find(([, value]) => typeof value === "string" && value.trim() === "");
  if (blank !== undefined) throw fault(["body", blank[0]], "blank", "must not be blank");
  return {
    filter: {
      ...(body.filter_state != null && { state: body.filter_state }),
      ...(body.filter_priority != null && { priorities: body.filter_priority }),
      ...(body.filter_search != null && { search: body.filter_search.toLowerCase() }),
      ...(body.filter_name != null && { name: body.filter_name }),
      ...(body.filter_queue != null && { queue: body.filter_queue }),
      ...(body.filter_worker != null && { worker: body.filter_worker }),
      ...instantsOf(body.filter_since, body.filter_until),
    },
  };
}

const fault = (loc: ValidationFault["loc"], type: string, message: string) => invalid({ loc, type, message });
