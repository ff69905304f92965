import type { Database } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";
import type { TaskFilter } from "./filter.ts";
import { findMatches, indexedSources, isDirect, narrowest, scopeOf } from "./find-matches.ts";
import { countAtOnce, countStep, countStretch } from "./match-reads.ts";
import { isTimeout } from "./text-reads.ts";

type Db = Database<Tables>;

/** Matches that are counted by finding them. */
const fewMatches = 2000;
/** Rows of one counting step: some tens of milliseconds of the reader, which other requests share. Of those of an index, five times as many. */
const stepRows = 20_000;
const stretchRows = 100_000;

/** How many tasks match, exactly; null when the count is not done within the time that a statement may take. */
export async function countMatches(
  db: Db,
  projectId: string,
  filter: TaskFilter,
  timeoutMs = 10_000,
): Promise<number | null> {
  const deadlineMs = performance.now() + timeoutMs;
  if (!isDirect(filter)) {
    const few = await countFew(db, projectId, filter);
    if (few !== null) return few;
  }
  if (db.dialect === "sqlite") return countInSteps(db, { projectId, filter, cap: Infinity, deadlineMs });
  try {
    return await countAtOnce(db.slow, scopeOf(projectId, filter, null), filter);
  } catch (error) {
    if (isTimeout(error)) return null;
    throw error;
  }
}

/** How many tasks match, counting no further than just beyond `cap`. */
export async function countMatchesUpTo(db: Db, projectId: string, filter: TaskFilter, cap: number): Promise<number> {
  const few = await countFew(db, projectId, filter);
  return few ?? (await countInSteps(db, { projectId, filter, cap, deadlineMs: Infinity })) ?? cap + 1;
}

async function countFew(db: Db, projectId: string, filter: TaskFilter): Promise<number | null> {
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
  db: Db,
  { projectId, filter, cap, deadlineMs }: { projectId: string; filter: TaskFilter; cap: number; deadlineMs: number },
): Promise<number | null> {
  let scope = scopeOf(projectId, filter, null);
  const source = await narrowest(db, scope, indexedSources(filter));
  const isByIndex = db.dialect === "sqlite" && isDirect(filter);
  for (let count = 0; performance.now() < deadlineMs; ) {
    const step = isByIndex
      ? await countStretch(db.slow, scope, source, stretchRows)
      : await countStep(db.slow, db.dialect, { scope, source, filter }, stepRows);
    count += step.count;
    if (step.rest === null || count > cap) return count;
    scope = step.rest;
  }
  return null;
}
