import type { Database } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { contentColumns, holdsContent } from "./content.ts";
import { judgeContent } from "./content-reads.ts";
import { findMatches, type Matches, type Search, scopeOf, usualSizes } from "./find-matches.ts";
import { newestOfValues, newestPlaces, type Position, rowsByIds } from "./match-reads.ts";
import type { ContentTerm } from "./query.ts";
import { holdsOnlySources, indexedSources } from "./term-sources.ts";

type Db = Database<Tables>;
type ContentSearch = Search & { readonly content: readonly ContentTerm[] };

/** What one look at large columns may take, so that other reads get their turn in between. */
const wantedMs = 40;
/** What it may read, where rows are large. */
const maxLookBytes = 4 * 1024 * 1024;

/**
 * The newest tasks of a filter that hold what content terms ask. The filter's own indexes lead; of the tasks that they give, the large
 * columns are looked at, newest first, some at a time, until the page is full or the time is used up. At least one look is taken, so that
 * every page gets further than the one before it.
 */
export async function findContent(db: Db, search: ContentSearch): Promise<Matches> {
  const { limit, budgetMs, sizes = usualSizes } = search;
  const deadlineMs = performance.now() + budgetMs;
  const [firstRows, mostRows] = sizes.contentRows;
  const found: Position[] = [];
  let rows = firstRows;
  let batchRows = firstRows;
  let after = search.after;
  for (;;) {
    // Half of the time is for looking at what the filter gives.
    const placesMs = (deadlineMs - performance.now()) / 2;
    const places = await nextPlaces(db, { ...search, after, limit: batchRows, budgetMs: placesMs });
    for (let rest = places.found; rest.length > 0; ) {
      const startMs = performance.now();
      const some = rest.slice(0, rows);
      const { holding, end } = await look(db, search, some);
      found.push(...some.slice(0, end).filter(({ id }) => holding.has(id)));
      if (found.length >= limit) return { found: found.slice(0, limit), reached: null };
      after = some[end - 1] ?? after;
      rest = rest.slice(end);
      const nowMs = performance.now();
      const isLast = rest.length === 0 && places.found.length < batchRows && places.reached === null;
      // The next look takes about as long as this one.
      if (2 * nowMs - startMs >= deadlineMs && !isLast) return { found, reached: after };
      if (end === rows) rows = nextRows(rows, nowMs - startMs, mostRows);
    }
    if (places.found.length < batchRows) {
      if (places.reached === null) return { found, reached: null };
      after = places.reached;
      if (performance.now() >= deadlineMs) return { found, reached: after };
    }
    batchRows = Math.min(rows * 4, mostRows);
  }
}

/** As many rows as would have taken the wanted time, though never many times more than it was. */
const nextRows = (rows: number, tookMs: number, most: number): number =>
  Math.max(1, Math.min(most, rows * 4, Math.ceil((rows * wantedMs) / Math.max(tookMs, 1))));

/** The next tasks of the filter alone, with no regard to what they hold. */
async function nextPlaces(db: Db, search: Search): Promise<Matches> {
  const { projectId, filter, after, limit } = search;
  const [source, second] = indexedSources(filter);
  if (!holdsOnlySources(filter) || second !== undefined) return findMatches(db, search);
  const scope = scopeOf(projectId, filter, after);
  const found =
    source === undefined
      ? await newestPlaces(db.slow, db.dialect, scope, limit)
      : await newestOfValues(db.slow, db.dialect, scope, source, limit);
  return { found, reached: null };
}

/** Which of these tasks hold what is asked, of the first `end` of them. */
async function look(
  { slow, dialect }: Db,
  { projectId, content }: ContentSearch,
  places: readonly Position[],
): Promise<{ holding: ReadonlySet<string>; end: number }> {
  const ids = places.map(({ id }) => id);
  const { fitting, unsure, lastId } = await judgeContent(slow, dialect, { ids, content, maxBytes: maxLookBytes });
  const holding = new Set(fitting);
  const reads = { db: slow, dialect, columns: contentColumns };
  for (let rest = new Set(unsure); rest.size > 0; ) {
    const { rows, hasMore } = await rowsByIds(reads, { projectId, ids: [...rest] }, { limit: rest.size });
    for (const row of rows) {
      rest.delete(row.id);
      if (holdsContent(row, content)) holding.add(row.id);
    }
    // The others are gone since.
    if (!hasMore) rest = new Set();
  }
  return { holding, end: lastId === null ? places.length : ids.indexOf(lastId) + 1 };
}
