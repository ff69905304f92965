import type { Database } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { contentColumns, holdsContent } from "./content.ts";
import { judgeContent } from "./content-reads.ts";
import { findMatches, type Matches, type Search, scopeOf, usualSizes } from "./find-matches.ts";
import { newestOfValues, newestPlaces, type Position, rowsByIds } from "./match-reads.ts";
import type { ContentTerm } from "./query.ts";
import { holdsOnlySources, indexedSources } from "./term-sources.ts";

type Db = Database<Tables>;

/** What one look at large columns may take, so that other reads get their turn in between. */
const wantedMs = 40;

/**
 * The newest tasks of a filter that hold what content terms ask. The filter's own indexes lead; of the tasks that they give, the large
 * columns are looked at, newest first, some at a time, until the page is full or the time is used up. At least one look is taken, so that
 * every page gets further than the one before it.
 */
export async function findContent(db: Db, search: Search & { content: readonly ContentTerm[] }): Promise<Matches> {
  const { content, limit, budgetMs, sizes = usualSizes } = search;
  const deadlineMs = performance.now() + budgetMs;
  const [firstRows, mostRows] = sizes.contentRows;
  const found: Position[] = [];
  let rows = firstRows;
  let after = search.after;
  for (;;) {
    const places = await nextPlaces(db, { ...search, after, limit: rows, budgetMs: deadlineMs - performance.now() });
    const startMs = performance.now();
    const holding = await idsHolding(db, search.projectId, { ids: places.found.map(({ id }) => id), content });
    found.push(...places.found.filter(({ id }) => holding.has(id)));
    if (found.length >= limit) return { found: found.slice(0, limit), reached: null };
    const isFull = places.found.length >= rows;
    if (!isFull && places.reached === null) return { found, reached: null };
    after = isFull ? (places.found.at(-1) ?? null) : places.reached;
    const nowMs = performance.now();
    if (nowMs >= deadlineMs) return { found, reached: after };
    if (isFull) rows = nextRows(rows, nowMs - startMs, mostRows);
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

async function idsHolding(
  db: Db,
  projectId: string,
  asked: { ids: readonly string[]; content: readonly ContentTerm[] },
): Promise<ReadonlySet<string>> {
  if (asked.ids.length === 0) return new Set();
  const { fitting, unsure } = await judgeContent(db.slow, db.dialect, asked);
  const holding = new Set(fitting);
  const reads = { db: db.slow, dialect: db.dialect, columns: contentColumns };
  for (let rest = new Set(unsure); rest.size > 0; ) {
    const { rows, hasMore } = await rowsByIds(reads, { projectId, ids: [...rest] }, { limit: rest.size });
    for (const row of rows) {
      rest.delete(row.id);
      if (holdsContent(row, asked.content)) holding.add(row.id);
    }
    // The others are gone since.
    if (!hasMore) rest = new Set();
  }
  return holding;
}
