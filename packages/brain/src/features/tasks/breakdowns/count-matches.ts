import type { BrainDatabase } from "../../../schema/tables/index.ts";
import type { ListFilter, QueryPlan } from "../query/query.ts";
import { searchesOf } from "../search/database-searches.ts";
import { findContent } from "../search/find-content.ts";
import { findMatches, type Matches, narrowest, scopeOf } from "../search/find-matches.ts";
import { countStep, type TaskPosition } from "../search/match-reads.ts";
import { indexedSources, isDirect } from "../search/term-sources.ts";

/** Up to this many matches are counted by finding them. */
const fewMatches = 2000;
/** Rows of one counting step: tens of milliseconds of the reader, which other requests share. Five times as many index entries. */
const stepRows = 20_000;
const indexStepRows = 100_000;

/** The exact number of matching tasks; null when counting takes longer than a statement may. */
export async function countMatches(
  db: BrainDatabase,
  projectId: string,
  filter: ListFilter,
  timeoutMs = 10_000,
): Promise<number | null> {
  const deadlineMs = performance.now() + timeoutMs;
  if (!isDirect(filter)) {
    const few = await countFew(db, projectId, filter);
    if (few !== null) return few;
  }
  const { countAtOnce } = searchesOf(db);
  return countAtOnce === null
    ? countInSteps(db, { projectId, filter, cap: Infinity, deadlineMs })
    : countAtOnce(db.slow, scopeOf(projectId, filter, null), filter);
}

/** The exact number of tasks that a plan finds; null when counting does not finish in time. */
export const countPlan = (
  db: BrainDatabase,
  projectId: string,
  plan: CountedPlan,
  timeoutMs?: number,
): Promise<number | null> =>
  plan.content.length === 0
    ? countMatches(db, projectId, plan.filter, timeoutMs)
    : countContent(db, projectId, plan, { cap: Infinity, timeoutMs });

type CountedPlan = Pick<QueryPlan, "filter" | "content">;

/** The number of tasks that a plan finds, counted to just above `cap`; null when counting does not finish in time. */
export async function countPlanUpTo(
  db: BrainDatabase,
  projectId: string,
  plan: CountedPlan,
  { cap, timeoutMs }: { cap: number; timeoutMs: number },
): Promise<number | null> {
  const { filter, content } = plan;
  if (content.length > 0) return countContent(db, projectId, plan, { cap, timeoutMs });
  const deadlineMs = performance.now() + timeoutMs;
  const few = await countFew(db, projectId, filter);
  return few ?? countInSteps(db, { projectId, filter, cap, deadlineMs });
}

async function countContent(
  db: BrainDatabase,
  projectId: string,
  { filter, content }: CountedPlan,
  { cap, timeoutMs = 10_000 }: { cap: number; timeoutMs?: number | undefined },
): Promise<number | null> {
  const deadlineMs = performance.now() + timeoutMs;
  let count = 0;
  for (let after: TaskPosition | null = null; count <= cap; ) {
    const search = { projectId, filter, content, after, limit: fewMatches, budgetMs: deadlineMs - performance.now() };
    const { found, reached }: Matches = await findContent(db, search);
    count += found.length;
    if (reached !== null) return null;
    if (found.length < fewMatches) break;
    after = found.at(-1) ?? null;
  }
  return count;
}

async function countFew(db: BrainDatabase, projectId: string, filter: ListFilter): Promise<number | null> {
  const { found, reached } = await findMatches(db, {
    projectId,
    filter,
    after: null,
    limit: fewMatches + 1,
    budgetMs: 200,
  });
  return reached === null && found.length <= fewMatches ? found.length : null;
}

async function countInSteps(
  db: BrainDatabase,
  { projectId, filter, cap, deadlineMs }: { projectId: string; filter: ListFilter; cap: number; deadlineMs: number },
): Promise<number | null> {
  let scope = scopeOf(projectId, filter, null);
  const source = await narrowest(db, scope, indexedSources(filter));
  const countIndexStep = isDirect(filter) ? searchesOf(db).countIndexStep : null;
  for (let count = 0; performance.now() < deadlineMs; ) {
    const step =
      countIndexStep === null
        ? await countStep(db.slow, { scope, source, filter }, stepRows)
        : await countIndexStep(db.slow, scope, source, indexStepRows);
    count += step.count;
    if (step.rest === null || count > cap) return count;
    scope = step.rest;
  }
  return null;
}
