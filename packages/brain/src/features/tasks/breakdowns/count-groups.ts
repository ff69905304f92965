import type { BrainDatabase } from "../../../schema/tables/index.ts";
import type { ContentTerm, ListFilter } from "../query/query.ts";
import { findContent } from "../search/find-content.ts";
import { findMatches, narrowest, scopeOf, usualSearchSizes } from "../search/find-matches.ts";
import type { TaskPosition } from "../search/match-reads.ts";
import { createPace, type StepClock, type StepRows } from "../search/step-pace.ts";
import { hasText, indexedSources } from "../search/term-sources.ts";
import { type GroupKey, groupStep, groupStepInTime, groupsAmong, type ValueGroup } from "./group-reads.ts";

export interface GroupCount {
  readonly projectId: string;
  readonly filter: ListFilter;
  /** Additional conditions on the large columns. */
  readonly content: readonly ContentTerm[];
  readonly key: GroupKey;
  /** Milliseconds. */
  readonly budgetMs: number;
  readonly sizes?: CountSizes;
  readonly clock?: StepClock | undefined;
}

export interface CountSizes {
  readonly stepRows: StepRows;
  /** Up to this many matches of a rare text are counted by finding them. */
  readonly fewMatches: number;
}

interface CountedGroups {
  readonly groups: readonly ValueGroup[];
  /** Set when the time limit was reached: everything down to this row was counted, newest first. */
  readonly reached: TaskPosition | null;
}

const usualCountSizes: CountSizes = { stepRows: [100, 2000], fewMatches: 1000 };

/** Maximum number of names, queues or workers containing a text that are searched one by one; with the matches, this bounds the cost. */
const maxValues = 40;
/** Newest rows that decide whether a search is for something rare. */
const sampleRows = 2000;
/** It is rare when fewer than one in this number of the newest tasks match. */
const rareOneIn = 100;

/**
 * Counts the matches of a filter by key. Walks the list as far as the time limit allows, at least one step. Filters that the newest tasks
 * rarely match, and filters on large columns, use the search of the list instead.
 */
export async function countGroups(db: BrainDatabase, count: GroupCount): Promise<CountedGroups> {
  const { projectId, filter, content, key, budgetMs, sizes = usualCountSizes, clock } = count;
  if (content.length > 0) return groupContent(db, count, sizes.fewMatches);
  const pace = createPace(sizes.stepRows, budgetMs, clock);
  let scope = scopeOf(projectId, filter, null);
  const sources = indexedSources(filter);
  // A pattern that matches no stored value.
  if (sources.some(({ values }) => values.length === 0)) return { groups: [], reached: null };
  const source = await narrowest(db, scope, sources);
  const isSearch = hasText(filter) || filter.terms !== undefined;
  const sums = new Map<string | null, number>();
  let walked = 0;
  let isSampled = false;
  for (;;) {
    const walk = { scope, source, filter };
    const rows = pace.next();
    const timeoutMs = pace.leftMs();
    const seen =
      walked === 0
        ? await groupStep(db, { walk, key }, rows)
        : await groupStepInTime(db, { walk, key }, { rows, timeoutMs });
    if (seen === null) return { groups: groupsOf(sums), reached: scope.after };
    pace.done(rows);
    walked += rows;
    const { groups, end } = seen;
    for (const { value, count: more } of groups) sums.set(value, (sums.get(value) ?? 0) + more);
    if (end === null) return { groups: groupsOf(sums), reached: null };
    if (pace.isOver()) return { groups: groupsOf(sums), reached: end };
    if (isSearch && !isSampled && (walked >= sampleRows || pace.leftMs() < budgetMs / 2)) {
      isSampled = true;
      const isRare = totalOf(sums) * rareOneIn < walked;
      const few = isRare ? await groupFew(db, { ...count, budgetMs: pace.leftMs() / 2 }, sizes.fewMatches) : null;
      if (few !== null) return { groups: few, reached: null };
    }
    scope = { ...scope, after: end };
  }
}

const totalOf = (sums: ReadonlyMap<string | null, number>): number =>
  sums.values().reduce((total, count) => total + count, 0);

const groupsOf = (sums: ReadonlyMap<string | null, number>): ValueGroup[] =>
  [...sums].flatMap(([value, count]) => (count > 0 ? [{ value, count }] : []));

/** Matches found within the time limit, and at most as many as some pages of the list would show. */
async function groupContent(
  db: BrainDatabase,
  { projectId, filter, content, key, budgetMs, clock }: GroupCount,
  most: number,
): Promise<CountedGroups> {
  const search = { projectId, filter, content, after: null, limit: most + 1, budgetMs, clock };
  const { found, reached } = await findContent(db, search);
  const some = found.slice(0, most);
  const groups = await groupsAmong(db.slow, { ids: some.map(({ id }) => id), key });
  return { groups, reached: found.length > most ? (some.at(-1) ?? null) : reached };
}

/** Null when there are more matches, or they cannot be found in time. */
async function groupFew(
  db: BrainDatabase,
  { projectId, filter, key, budgetMs, clock }: GroupCount,
  fewMatches: number,
): Promise<readonly ValueGroup[] | null> {
  const limit = fewMatches + 1;
  const sizes = { ...usualSearchSizes, maxValues };
  const search = { projectId, filter, after: null, limit, budgetMs, sizes, clock };
  const { found, reached } = await findMatches(db, search);
  if (reached !== null || found.length > fewMatches) return null;
  return groupsAmong(db.slow, { ids: found.map(({ id }) => id), key });
}
