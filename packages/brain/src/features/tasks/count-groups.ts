import type { Database } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { findContent } from "./find-content.ts";
import { findMatches, narrowest, scopeOf, usualSizes as usualFindSizes } from "./find-matches.ts";
import { type Group, type GroupKey, groupStep, groupStepInTime, groupsAmong } from "./group-reads.ts";
import type { Position } from "./match-reads.ts";
import type { ContentTerm, ListFilter } from "./query.ts";
import { hasText, indexedSources } from "./term-sources.ts";

export interface Count {
  readonly projectId: string;
  readonly filter: ListFilter;
  /** What the large columns must hold besides. */
  readonly content: readonly ContentTerm[];
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

/** Rows that are looked at in any case. */
const fewRows = 200;
/** Names, queues or workers with a text in them that are looked at one by one: together with the matches it says what that costs. */
const maxValues = 40;
/** A text is rare when fewer than one in so many of the newest tasks match. */
const rareOneIn = 100;

/**
 * Counts the matches of a filter by key. The list is walked as far as the time goes, one step at least. What the newest tasks hardly ever
 * match is looked for instead as the list does it, whatever lies between; and so is what only large columns tell.
 */
export async function countGroups(db: Database<Tables>, count: Count): Promise<Counted> {
  const { projectId, filter, content, key, deadlineMs, sizes = usualSizes } = count;
  if (content.length > 0) return countContent(db, count, sizes.fewMatches);
  let scope = scopeOf(projectId, filter, null);
  const sources = indexedSources(filter);
  // A pattern that no stored value fits.
  if (sources.some(({ values }) => values.length === 0)) return { groups: [], reached: null };
  const source = await narrowest(db, scope, sources);
  const isSearch = hasText(filter) || filter.terms !== undefined;
  const sums = new Map<string | null, number>();
  for (let step = 0; ; step += 1) {
    const walk = { scope, source, filter };
    const timeoutMs = deadlineMs - performance.now();
    let seen = await groupStepInTime(db, { walk, key }, { rows: sizes.stepRows, timeoutMs });
    if (seen === null && step > 0) return { groups: groupsOf(sums), reached: scope.after };
    seen ??= await groupStep(db, { walk, key }, Math.min(fewRows, sizes.stepRows));
    const { groups, end } = seen;
    for (const { value, count: more } of groups) sums.set(value, (sums.get(value) ?? 0) + more);
    if (end === null) return { groups: groupsOf(sums), reached: null };
    if (step === 0 && isSearch && performance.now() < deadlineMs && totalOf(groups) * rareOneIn < sizes.stepRows) {
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

/** What was found in the time, and of that no more than the list would show on some pages. */
async function countContent(
  db: Database<Tables>,
  { projectId, filter, content, key, deadlineMs }: Count,
  most: number,
): Promise<Counted> {
  const search = { projectId, filter, content, after: null, limit: most + 1, budgetMs: deadlineMs - performance.now() };
  const { found, reached } = await findContent(db, search);
  const some = found.slice(0, most);
  const groups = await groupsAmong(db.slow, db.dialect, { ids: some.map(({ id }) => id), key });
  return { groups, reached: found.length > most ? (some.at(-1) ?? null) : reached };
}

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
