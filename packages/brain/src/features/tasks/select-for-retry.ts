import { taskRowId } from "@svc/protocol";
import type { Tx } from "../../platform/database/database.ts";
import type { BrainDatabase, Tables } from "../../schema/tables/index.ts";
import { countMatches } from "./breakdowns/count-matches.ts";
import { matchesFilter, type TaskFilter } from "./query/filter.ts";
import { type ListFilter, planOf } from "./query/query.ts";
import { type RetriedTask, tasksByRowId } from "./reads.ts";
import { findContent } from "./search/find-content.ts";
import { findMatches, matchingIds } from "./search/find-matches.ts";
import type { TaskPosition } from "./search/match-reads.ts";
import { resolveTerms } from "./search/newest-by-terms.ts";

/** The tasks of a project to retry. */
export interface RetrySelection {
  readonly filter: TaskFilter;
  readonly engine: string | null;
  /** Engine ids; they require the engine. */
  readonly taskIds: readonly string[] | null;
  /** A query that the tasks must match as well; cannot be combined with ids. */
  readonly q: string | null;
}

/** Row limit of one step of a search. */
export interface SelectStep {
  /** Tasks received later are excluded, and ages in the query count from here. */
  readonly now: Date;
  readonly after: TaskPosition | null;
  readonly limit: number;
  /** Milliseconds. */
  readonly budgetMs: number;
}

/** Row ids of the next matches of a selection with a query, newest first, and where the next step starts; null at the end. */
export async function selectStep(
  db: BrainDatabase,
  projectId: string,
  { filter, engine, q }: RetrySelection,
  { now, after, limit, budgetMs }: SelectStep,
): Promise<{ ids: readonly string[]; next: TaskPosition | null }> {
  const until = filter.until !== undefined && filter.until < now ? filter.until : now;
  const plan = planOf({ ...filter, until }, q ?? undefined, now);
  const terms = [...(plan.filter.terms ?? []), ...(engine === null ? [] : [ofEngine(engine)])];
  const full = terms.length === 0 ? plan.filter : { ...plan.filter, terms };
  const search = { projectId, filter: await resolveTerms(db, projectId, full), after, limit, budgetMs };
  const { found, reached } =
    plan.content.length === 0
      ? await findMatches(db, search)
      : await findContent(db, { ...search, content: plan.content });
  return { ids: found.map(({ id }) => id), next: found.length < limit ? reached : (found.at(-1) ?? null) };
}

/** Row ids that a selection without a query may mean; `matched` is exact, and the ids are left out when there are more than `limit`. */
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

/** The selected tasks among these rows, as read in the transaction, in the order of (engine, task_id). */
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
