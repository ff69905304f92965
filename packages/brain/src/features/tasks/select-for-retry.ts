import { taskRowId } from "@svc/protocol";
import type { Tx } from "../../platform/database/database.ts";
import type { BrainDatabase, Tables } from "../../schema/tables/index.ts";
import { countMatches } from "./breakdowns/count-matches.ts";
import { matchesFilter, type TaskFilter } from "./query/filter.ts";
import type { ListFilter } from "./query/query.ts";
import { type RetriedTask, tasksByRowId } from "./reads.ts";
import { matchingIds } from "./search/find-matches.ts";

/** Which tasks of a project a retry means. */
export interface RetrySelection {
  readonly filter: TaskFilter;
  readonly engine: string | null;
  /** Engine ids; with them the engine is given. */
  readonly taskIds: readonly string[] | null;
}

/** Row ids of what a selection may mean; `matched` is exact and the ids are left out when there are more than `limit`. */
export async function findSelected(
  db: BrainDatabase,
  projectId: string,
  { filter, engine, taskIds }: RetrySelection,
  limit: number,
): Promise<{ ids: readonly string[]; matched: number }> {
  if (taskIds !== null) {
    const ids = taskIds.map((id) => taskRowId(projectId, engine ?? "", id));
    return { ids, matched: ids.length };
  }
  const full: ListFilter = engine === null ? filter : { ...filter, terms: [ofEngine(engine)] };
  const ids = await matchingIds(db, projectId, full, limit + 1);
  if (ids.length <= limit) return { ids, matched: ids.length };
  return { ids: [], matched: (await countMatches(db, projectId, full)) ?? ids.length };
}

/** The selected tasks among these rows as they are in the transaction, in the order of (engine, task_id). */
export async function readSelected(
  tx: Tx<Tables>,
  { projectId, ids, selection }: { projectId: string; ids: readonly string[]; selection: RetrySelection },
): Promise<RetriedTask[]> {
  const tasks = await tasksByRowId(tx, projectId, ids);
  return tasks.filter(
    (task) => (selection.engine === null || task.engine === selection.engine) && matchesFilter(task, selection.filter),
  );
}

const ofEngine = (engine: string) =>
  ({
    kind: "label",
    field: "engine",
    tests: [{ kind: "is", text: engine }],
    values: [engine],
    isNegated: false,
  }) as const;
