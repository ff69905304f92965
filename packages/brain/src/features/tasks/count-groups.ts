import type { Database } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";
import type { TaskFilter } from "./filter.ts";
import { findMatches, narrowest, scopeOf } from "./find-matches.ts";
import { type Group, type GroupKey, groupStep, groupsAmong } from "./group-reads.ts";
import type { Position } from "./match-reads.ts";
import { hasText, indexedSources } from "./term-sources.ts";

export interface Count {
  readonly projectId: string;
  readonly filter: TaskFilter;
  readonly key: GroupKey;
  /** When to stop, by performance.now(). */
  readonly deadlineMs: number;
  readonly sizes?: CountSizes;
}

export interface CountSizes {
  /** Rows of one step of a walk. */
  readonly stepRows: number;
  /** Matches of a text that are counted by finding them. */
  readonly fewMatches: number;
}

interface Counted {
  readonly groups: readonly Group[];
  /** Set when the time was used up: everything down to here was counted, newest first. */
  readonly reached: Position | null;
}

const usualSizes: CountSizes = { stepRows: 2000, fewMatches: 2000 };

/**
 * Counts the matches of a filter by key. What few tasks match is found as the list finds it, whatever lies between; otherwise the list is
 * walked as far as the time goes, one step at least.
 */
export async function countGroups(db: Database<Tables>, count: Count): Promise<Counted> {
  const { projectId, filter, key, deadlineMs, sizes = usualSizes } = count;
  if (hasText(filter)) {
    const few = await countFew(db, count, sizes.fewMatches);
    if (few !== null) return { groups: few, reached: null };
  }
  let scope = scopeOf(projectId, filter, null);
  const source = await narrowest(db, scope, indexedSources(filter));
  const sums = new Map<string | null, number>();
  for (;;) {
    const { groups, end } = await groupStep(
      db.slow,
      db.dialect,
      { walk: { scope, source, filter }, key },
      sizes.stepRows,
    );
    for (const { value, count: more } of groups) sums.set(value, (sums.get(value) ?? 0) + more);
    if (end === null || performance.now() >= deadlineMs) {
      const all = [...sums].map(([value, sum]) => ({ value, count: sum }));
      return { groups: all.filter((group) => group.count > 0), reached: end };
    }
    scope = { ...scope, after: end };
  }
}

/** Null when there are more matches, or they cannot be found in half of the time. */
async function countFew(
  db: Database<Tables>,
  { projectId, filter, key, deadlineMs }: Count,
  fewMatches: number,
): Promise<readonly Group[] | null> {
  const budgetMs = (deadlineMs - performance.now()) / 2;
  const { found, reached } = await findMatches(db, { projectId, filter, after: null, limit: fewMatches + 1, budgetMs });
  if (reached !== null || found.length > fewMatches) return null;
  return groupsAmong(db.slow, db.dialect, { ids: found.map(({ id }) => id), key });
}
