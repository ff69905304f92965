import type { BrainDatabase } from "../../../schema/tables/index.ts";
import type { ContentTerm, ListFilter } from "../query/query.ts";
import { searchesOf } from "./database-searches.ts";
import {
  countSource,
  idStep,
  type ListScope,
  matchesAmong,
  newestOfValues,
  type TaskPosition,
  type TaskSource,
  walkStep,
} from "./match-reads.ts";
import { countRowsOf, newestByTerms } from "./newest-by-terms.ts";
import { createPace, type Pace, type StepClock, type StepCost, type StepRows } from "./step-pace.ts";
import { hasText, holdsOnlySources, indexedSources, isCombined } from "./term-sources.ts";

/**
 * Finds the newest matches of a filter at a cost that does not grow with the table. A single condition besides the time has an index in list
 * order and needs no search. Otherwise the newest rows are walked first, where frequent matches fill the page. Rare matches are found through
 * the dictionary and trigram index, or by walking the most selective condition to its end. Only a filter that is frequent in every single
 * condition but has no recent matches can reach the time limit; its answer says how far it got.
 */
export interface Matches {
  /** In list order, at most the limit. */
  readonly found: readonly TaskPosition[];
  /** Set when the time limit was reached before the end: everything down to this row was searched. */
  readonly reached: TaskPosition | null;
}

export interface Search {
  readonly projectId: string;
  readonly filter: ListFilter;
  /** Additional conditions on columns that are read one by one. */
  readonly content?: readonly ContentTerm[] | undefined;
  readonly after: TaskPosition | null;
  readonly limit: number;
  /** Milliseconds; Infinity for the complete answer without a time limit. */
  readonly budgetMs: number;
  /** Maximum number of bytes of the large columns of a page; the usual bound when absent. */
  readonly maxBytes?: number;
  readonly sizes?: SearchSizes;
  readonly clock?: StepClock | undefined;
  /** Cost of the rows that the search walks, when an earlier walk has measured it. */
  readonly cost?: StepCost;
}

/** Limits of each search method. */
export interface SearchSizes {
  /** Newest rows that are walked before rare matches are searched elsewhere. */
  readonly newestRows: number;
  readonly stepRows: StepRows;
  /** A source with fewer rows is read completely. */
  readonly shortRows: number;
  /** Maximum number of names, queues or workers containing a text that are searched one by one. */
  readonly maxValues: number;
  /** Rows that one statement reads for several values, a page for each. */
  readonly valueRows: number;
  /** Rows whose large columns are read by one statement. */
  readonly contentRows: StepRows;
}

export const usualSearchSizes: SearchSizes = {
  newestRows: 500,
  stepRows: [100, 2000],
  shortRows: 5000,
  maxValues: 2000,
  valueRows: 20_000,
  contentRows: [100, 5000],
};

export const scopeOf = (projectId: string, filter: ListFilter, after: TaskPosition | null): ListScope => ({
  projectId,
  since: filter.since ?? null,
  until: filter.until ?? null,
  after,
});

export async function findMatches(db: BrainDatabase, search: Search): Promise<Matches> {
  const { projectId, filter, after, limit, budgetMs, sizes = usualSearchSizes, clock, cost } = search;
  const pace = createPace(sizes.stepRows, budgetMs, clock, cost);
  const scope = scopeOf(projectId, filter, after);
  const sources = indexedSources(filter);
  if (sources.some(({ values }) => values.length === 0)) return { found: [], reached: null };
  const [first, second] = sources;
  if (holdsOnlySources(filter) && first !== undefined && second === undefined) {
    const isAtOnce = limit <= rowsAtOnce(first, sizes.valueRows);
    const found = isAtOnce ? await newestOfValues(db, scope, first, { limit, pace }) : null;
    if (found !== null) return { found, reached: null };
  }
  const source = await narrowest(db, scope, sources, sizes.shortRows);
  const found: TaskPosition[] = [];
  let from = scope;
  let walked = 0;
  let isElsewhere = false;
  for (;;) {
    const rows = pace.next();
    const walk = { scope: from, source, filter };
    const seen = await walkStep(db.slow, walk, { rows, limit: limit - found.length });
    pace.done(rows);
    walked += rows;
    found.push(...seen.found);
    if (found.length >= limit || seen.end === null) return { found, reached: null };
    from = { ...from, after: seen.end };
    // When rows are slow, the walk leaves half of the time to the other methods.
    if (!isElsewhere && (walked >= sizes.newestRows || pace.leftMs() < budgetMs / 2)) {
      isElsewhere = true;
      const rest = await newestElsewhere(db, from, filter, { limit: limit - found.length, pace, sizes });
      if (rest !== null) return { found: [...found, ...rest], reached: null };
    }
    if (pace.isOver()) return { found, reached: seen.end };
  }
}

/** Maximum number of the newest rows of a source that one statement returns; with several values, it reads this number of each value. */
export const rowsAtOnce = ({ values }: NonNullable<TaskSource>, mostRows: number): number =>
  values.length <= 1 ? Infinity : Math.floor(Math.max(mostRows / values.length, Math.sqrt(mostRows)));

/** The source to walk: of several conditions the one with fewest rows, as far as counting a few thousand shows. */
export async function narrowest(
  db: BrainDatabase,
  scope: ListScope,
  sources: readonly NonNullable<TaskSource>[],
  cap = usualSearchSizes.shortRows,
): Promise<TaskSource> {
  const single = sources.filter(({ values }) => values.length === 1);
  if (single.length <= 1) return single[0] ?? null;
  let best: { source: TaskSource; count: number } | null = null;
  for (const source of single) {
    const count = await countSource(db.slow, scope, source, cap);
    if (best === null || count < best.count) best = { source, count };
  }
  return best?.source ?? null;
}

/** The newest matches found by conditions other than single values, or null when there are too many. */
async function newestElsewhere(
  db: BrainDatabase,
  scope: ListScope,
  filter: ListFilter,
  need: Need,
): Promise<TaskPosition[] | null> {
  const { limit, pace, sizes } = need;
  const byTerms = await newestByTerms(db, scope, filter, { limit, cap: sizes.shortRows, pace });
  return byTerms ?? (hasText(filter) ? newestOfText(db, scope, filter, need) : null);
}

interface Need {
  readonly limit: number;
  readonly pace: Pick<Pace, "leftMs">;
  readonly sizes: SearchSizes;
}

/**
 * The newest matches of a filter with a text: the names, queues and workers that contain the text, each in list order through its own index,
 * and the task ids that contain it through their trigrams. Null when that would take too many steps; then the walk continues.
 */
async function newestOfText(
  db: BrainDatabase,
  scope: ListScope,
  filter: ListFilter,
  need: Need,
): Promise<TaskPosition[] | null> {
  const { limit, pace, sizes } = need;
  // With both texts the search is by name, because that is one column; the condition on the row covers the other.
  const needle = filter.name ?? filter.search ?? "";
  const isFolded = filter.name === undefined;
  const fields = isFolded ? (["name", "queue", "worker"] as const) : (["name"] as const);
  const { valuesWith, newestById } = searchesOf(db);

  async function ofField(field: (typeof fields)[number]): Promise<TaskPosition[] | null> {
    const values = await valuesWith(db.slow, scope.projectId, { field, needle, isFolded }, sizes.maxValues + 1);
    if (values === null || values.length > sizes.maxValues) return null;
    if (values.length === 0) return [];
    const source = { column: field === "worker" ? "worker_name" : field, values } as const;
    return newestOfSource(db, scope, source, { ...need, filter });
  }

  const parts = await Promise.all([
    ...fields.map(ofField),
    isFolded
      ? newestById(db, { scope, needle, filter }, { limit, cap: sizes.shortRows, timeoutMs: pace.leftMs() })
      : [],
  ]);
  const all: TaskPosition[] = [];
  for (const part of parts) {
    if (part === null) return null;
    all.push(...part);
  }
  return inOrder(all).slice(0, limit);
}

/** The newest matches among the rows with one of the values, which are known to match the text of the filter. */
async function newestOfSource(
  db: BrainDatabase,
  scope: ListScope,
  source: NonNullable<TaskSource>,
  { filter, limit, pace, sizes: { shortRows, valueRows } }: Need & { readonly filter: ListFilter },
): Promise<TaskPosition[] | null> {
  if (!isCombined(filter) && limit <= rowsAtOnce(source, valueRows))
    return newestOfValues(db, scope, source, { limit, pace });
  const rows = await countRowsOf(db, scope, source, shortRows);
  if (rows >= shortRows) return null;
  return matchesAmong(db, { scope, source, filter }, { limit, timeoutMs: pace.leftMs() });
}

/** Positions newest first, without duplicates. */
function inOrder(positions: readonly TaskPosition[]): TaskPosition[] {
  const each = new Map(positions.map((position) => [position.id, position]));
  return [...each.values()].sort(
    (a, b) => b.receivedAt.getTime() - a.receivedAt.getTime() || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0),
  );
}

/** Rows that one step reads in the order of their ids. */
const rowsPerIdStep = 20_000;

/** Ids of the first `limit` matching tasks in UUID order. */
export async function matchingIds(
  db: BrainDatabase,
  projectId: string,
  filter: ListFilter,
  limit: number,
): Promise<string[]> {
  const { found } = await findMatches(db, {
    projectId,
    filter,
    after: null,
    limit: limit + 1,
    budgetMs: Number.POSITIVE_INFINITY,
  });
  if (found.length <= limit) return found.map(({ id }) => id).sort();
  // There are more. Ids are spread evenly, so reading tasks in id order soon finds enough.
  const ids: string[] = [];
  let afterId: string | null = null;
  do {
    const step = await idStep(db.slow, {
      scope: scopeOf(projectId, filter, null),
      filter,
      afterId,
      rows: rowsPerIdStep,
    });
    ids.push(...step.ids);
    afterId = step.end;
  } while (afterId !== null && ids.length < limit);
  return ids.slice(0, limit);
}
