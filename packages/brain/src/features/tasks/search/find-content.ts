import type { BrainDatabase } from "../../../schema/tables/index.ts";
import { contentColumns, holdsContent } from "../query/content.ts";
import type { ContentTerm, ListFilter } from "../query/query.ts";
import { judgeContent } from "./content-reads.ts";
import {
  findMatches,
  type Matches,
  rowsAtOnce,
  type Search,
  type SearchSizes,
  scopeOf,
  usualSearchSizes,
} from "./find-matches.ts";
import { newestPlaces, rowsByIds, type TaskPosition } from "./match-reads.ts";
import { createPace, type StepCost } from "./step-pace.ts";
import { holdsOnlySources, indexedSources } from "./term-sources.ts";

type ContentSearch = Search & { readonly content: readonly ContentTerm[] };

/** Maximum number of bytes of large columns that one statement reads. */
const maxCheckedBytes = 4 * 1024 * 1024;

/**
 * The newest tasks of a filter that match content terms. The filter's own indexes find candidates; their large columns are read in batches,
 * newest first, until the page is full or the time limit is reached. At least one batch is read, so that every page makes progress.
 */
export async function findContent(db: BrainDatabase, search: ContentSearch): Promise<Matches> {
  const { limit, budgetMs, sizes = usualSearchSizes, clock } = search;
  const pace = createPace(sizes.contentRows, budgetMs, clock);
  const [firstRows, mostRows] = sizes.contentRows;
  const mostPlaces = Math.max(1, Math.min(mostRows, placesAtOnce(search.filter, sizes)));
  const cost: StepCost = {};
  const found: TaskPosition[] = [];
  let rows = firstRows;
  let batchRows = Math.min(firstRows, mostPlaces);
  let after = search.after;
  for (;;) {
    // Half of the time is for checking the candidates.
    const places = await nextPlaces(db, { ...search, after, limit: batchRows, budgetMs: pace.leftMs() / 2, cost });
    for (let rest = places.found; rest.length > 0; ) {
      rows = pace.next();
      const some = rest.slice(0, rows);
      const { holding, end } = await look(db, search, some);
      pace.done(end);
      found.push(...some.slice(0, end).filter(({ id }) => holding.has(id)));
      if (found.length >= limit) return { found: found.slice(0, limit), reached: null };
      after = some[end - 1] ?? after;
      rest = rest.slice(end);
      const isLast = rest.length === 0 && places.found.length < batchRows && places.reached === null;
      if (pace.isOver() && !isLast) return { found, reached: after };
    }
    if (places.found.length < batchRows) {
      if (places.reached === null) return { found, reached: null };
      after = places.reached;
      if (pace.isOver()) return { found, reached: after };
    }
    batchRows = Math.min(rows * 4, mostPlaces);
  }
}

/** How many of the filter's tasks one statement returns in list order: few for a source with many values. */
function placesAtOnce(filter: ListFilter, { valueRows }: SearchSizes): number {
  const [source, second] = indexedSources(filter);
  const isBySource = holdsOnlySources(filter) && source !== undefined && second === undefined;
  return isBySource ? rowsAtOnce(source, valueRows) : Infinity;
}

/** The next tasks of the filter alone, whatever they contain. */
async function nextPlaces(db: BrainDatabase, search: Search): Promise<Matches> {
  const { projectId, filter, after, limit } = search;
  if (!holdsOnlySources(filter) || indexedSources(filter).length > 0) return findMatches(db, search);
  return {
    found: await newestPlaces(db.slow, scopeOf(projectId, filter, after), limit),
    reached: null,
  };
}

/** Which of these tasks match, of the first `end` of them. */
async function look(
  { slow }: BrainDatabase,
  { projectId, content }: ContentSearch,
  places: readonly TaskPosition[],
): Promise<{ holding: ReadonlySet<string>; end: number }> {
  const ids = places.map(({ id }) => id);
  const { fitting, unsure, lastId } = await judgeContent(slow, { ids, content, maxBytes: maxCheckedBytes });
  const holding = new Set(fitting);
  const reads = { db: slow, columns: contentColumns };
  for (let rest = new Set(unsure); rest.size > 0; ) {
    const { rows, hasMore } = await rowsByIds(reads, { projectId, ids: [...rest] }, { limit: rest.size });
    for (const row of rows) {
      rest.delete(row.id);
      if (holdsContent(row, content)) holding.add(row.id);
    }
    // The others have been deleted since.
    if (!hasMore) rest = new Set();
  }
  return { holding, end: lastId === null ? places.length : ids.indexOf(lastId) + 1 };
}
