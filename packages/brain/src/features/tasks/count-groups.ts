import type { Database } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";
import type { TaskFilter } from "./filter.ts";
import { findMatches, narrowest, scopeOf, usualSizes as usualFindSizes } from "./find-matches.ts";
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
  /** Matches of a rare text that are counted by finding them. */
  readonly fewMatches: number;
}

interface Counted {
  readonly groups: readonly Group[];
  /** Set when the time was used up: everything down to here was counted, newest first. */
  readonly reached: Position | null;
}

const usualSizes: CountSizes = { stepRows: 2000, fewMatches: 1000 };

/** Names, queues or workers with a text in them that are looked at one by one: together with the matches it says what that costs. */
const maxValues = 40;
/** A text is rare when fewer than one in so many of the newest tasks match. */
const rareOneIn = 100;

/**
 * Counts the matches of a filter by key. The list is walked as far as the time goes, one step at least. A text that the newest tasks hardly
 * ever have is looked for instead as the list does it, whatever lies between.
 */
export async function countGroups(db: Database<Tables>, count: Count): Promise<Counted> {
  const { projectId, filter, key, deadlineMs, sizes = usualSizes } = count;
  let scope = scopeOf(projectId, filter, null);
  const source = await narrowest(db, scope, indexedSources(filter));
  const sums = new Map<string | null, number>();
  for (let step = 0; ; step += 1) {
    const walk = { scope, source, filter };
    const { groups, end } = await groupStep(db.slow, db.dialect, { walk, key }, sizes.stepRows);
    for (const { value, count: more } of groups) sums.set(value, (sums.get(value) ?? 0) + more);
    if (end === null) return { groups: groupsOf(sums), reached: null };
    if (step === 0 && hasText(filter) && totalOf(groups) * rareOneIn < sizes.stepRows) {
      const few = await countFew(db, count, sizes.fewMatches);
      if (few !== null) return { groups: few, reached: null };
    }
    if (performance.now() >= deadlineMs) return { groups: groupsOf(sums), reached: end };
    scope = { ...scope, after: end };
  }
}

const totalOf = (groups: readonly Group[]): number => groups.reduce((sum, { count }) => sum + count, 0);

const groupsOf = (sums: ReadonlyMap<string | null, number>): Group[] =>
  [...sums].flatMap(([value, count]) => (count > 0 ? [{ value, count }] : []));

/** Null when there are more matches, or they cannot be found in half of the time. */
async function countFew(
  db: Database<Tables>,
  { projectId, filter, key, deadlineMs }: Count,
  fewMatches: number,
): Promise<readonly Group[] | null> {
  const budgetMs = (deadlineMs - performance.now()) / 2;
  const limit = fewMatches + 1;
  const sizes = { ...usualFindSizes, maxValues };
  const { found, reached } = await findMatches(db, { projectId, filter, after: null, limit, budgetMs, sizes });
  if (reached !== null || found.length > fewMatches) return null;
  return groupsAmong(db.slow, db.dialect, { ids: found.map(({ id }) => id), key });
}
