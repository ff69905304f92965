import type { Database } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";
import type { TaskFilter } from "./filter.ts";
import {
  countSource,
  matchesAmong,
  newestOfValues,
  type Position,
  type Scope,
  type Source,
  type SourceColumn,
  walkStep,
} from "./match-reads.ts";
import { newestByIdIndex, newestByIdLine, termsWith, valuesWith } from "./text-reads.ts";

/**
 * Finds the newest matches of a filter at a cost that does not grow with the table. One condition beside the time has an index in list
 * order and needs no search at all. Otherwise the newest rows are walked first, where whatever is frequent fills the page; what is not is
 * rare, and found through dictionary and trigram index, or by walking the narrowest of the conditions to its end. Only a filter that is
 * frequent in every single condition and absent further up can use up the time budget; its answer says how far it got.
 */
export interface Matches {
  /** In list order, at most the limit. */
  readonly found: readonly Position[];
  /** Set when the time was used up before the end: everything down to here was looked at. */
  readonly reached: Position | null;
}

export interface Search {
  readonly projectId: string;
  readonly filter: TaskFilter;
  readonly after: Position | null;
  readonly limit: number;
  /** Milliseconds, Infinity for the whole answer whatever it takes. */
  readonly budgetMs: number;
  /** What the large columns of the page hold together; the usual bound when absent. */
  readonly maxBytes?: number;
  readonly sizes?: Sizes;
}

type Db = Database<Tables>;

/** How far each way of looking goes. */
export interface Sizes {
  /** Rows of the first look, then of every further step: some milliseconds each, so that other reads get their turn in between. */
  readonly firstRows: number;
  readonly stepRows: number;
  /** A source with fewer rows is read whole. */
  readonly shortRows: number;
  /** Names, queues or workers with a text in them that are looked at one by one. */
  readonly maxValues: number;
}

const usualSizes: Sizes = { firstRows: 500, stepRows: 2000, shortRows: 5000, maxValues: 2000 };

export const scopeOf = (projectId: string, filter: TaskFilter, after: Position | null): Scope => ({
  projectId,
  since: filter.since ?? null,
  until: filter.until ?? null,
  after,
});

/** The conditions that an index serves, most selective first as a rule. */
export function indexedSources(filter: TaskFilter): NonNullable<Source>[] {
  const sources: NonNullable<Source>[] = [];
  const add = (column: SourceColumn, values: readonly string[] | undefined) => {
    if (values !== undefined) sources.push({ column, values });
  };
  add("worker_name", filter.worker === undefined ? undefined : [filter.worker]);
  add("queue", filter.queue === undefined ? undefined : [filter.queue]);
  add("state", filter.state === undefined ? undefined : [filter.state]);
  add("priority", filter.priorities);
  return sources;
}

export const hasText = (filter: TaskFilter): boolean => filter.name !== undefined || filter.search !== undefined;

/** Whether one index holds the answer in list order. */
export const isDirect = (filter: TaskFilter): boolean => {
  const sources = indexedSources(filter);
  return !hasText(filter) && sources.length <= 1 && (sources[0]?.values.length ?? 1) === 1;
};

export async function findMatches(db: Db, search: Search): Promise<Matches> {
  const { projectId, filter, after, limit, budgetMs, sizes = usualSizes } = search;
  const deadlineMs = performance.now() + budgetMs;
  const scope = scopeOf(projectId, filter, after);
  const sources = indexedSources(filter);
  if (!hasText(filter) && sources.length === 1) {
    return {
      found: await newestOfValues(db.slow, db.dialect, scope, sources[0] as NonNullable<Source>, limit),
      reached: null,
    };
  }
  const source = await narrowest(db, scope, sources, sizes.shortRows);
  const found: Position[] = [];
  let from = scope;
  for (let step = 0; ; step += 1) {
    const rows = step === 0 ? sizes.firstRows : sizes.stepRows;
    const seen = await walkStep(
      db.slow,
      db.dialect,
      { scope: from, source, filter },
      { rows, limit: limit - found.length },
    );
    found.push(...seen.found);
    if (found.length >= limit || seen.end === null) return { found, reached: null };
    from = { ...from, after: seen.end };
    if (step === 0 && hasText(filter)) {
      const rest = await newestOfText(db, from, filter, { limit: limit - found.length, deadlineMs, sizes });
      if (rest !== null) return { found: [...found, ...rest], reached: null };
    }
    if (step >= 1 && performance.now() >= deadlineMs) return { found, reached: seen.end };
  }
}

/** The source to walk: of several conditions the one with fewest rows, as far as counting a few thousand tells. */
export async function narrowest(
  db: Db,
  scope: Scope,
  sources: readonly NonNullable<Source>[],
  cap = usualSizes.shortRows,
): Promise<Source> {
  const single = sources.filter(({ values }) => values.length === 1);
  if (single.length <= 1) return single[0] ?? null;
  let best: { source: Source; count: number } | null = null;
  for (const source of single) {
    const count = await countSource(db.slow, db.dialect, scope, source, cap);
    if (best === null || count < best.count) best = { source, count };
  }
  return best?.source ?? null;
}

interface Need {
  readonly limit: number;
  readonly deadlineMs: number;
  readonly sizes: Sizes;
}

/** Whether the filter holds something beside one text and the time. */
const isCombined = (filter: TaskFilter): boolean =>
  indexedSources(filter).length > 0 || (filter.name !== undefined && filter.search !== undefined);

/**
 * The newest matches of a filter with a text in it: the names, queues and workers that hold the text, each in list order through its own
 * index, and the task ids that hold it through their trigrams. Null when that would take too many steps; then the walk goes on.
 */
async function newestOfText(db: Db, scope: Scope, filter: TaskFilter, need: Need): Promise<Position[] | null> {
  const { limit, sizes } = need;
  // With both texts the name leads: it is one column, and the condition on the row sees to the other.
  const needle = filter.name ?? filter.search ?? "";
  const isFolded = filter.name === undefined;
  const fields = isFolded ? (["name", "queue", "worker"] as const) : (["name"] as const);
  const find = db.dialect === "sqlite" ? termsWith : valuesWith;

  async function ofField(field: (typeof fields)[number]): Promise<Position[] | null> {
    const values = await find(db.slow, scope.projectId, { field, needle, isFolded }, sizes.maxValues + 1);
    if (values === null || values.length > sizes.maxValues) return null;
    if (values.length === 0) return [];
    const source = { column: field === "worker" ? "worker_name" : field, values } as const;
    return newestOfSource(db, scope, source, { filter, limit, shortRows: sizes.shortRows });
  }

  const parts = await Promise.all([
    ...fields.map(ofField),
    isFolded ? newestByTaskId(db, { scope, needle, filter }, need) : [],
  ]);
  const all: Position[] = [];
  for (const part of parts) {
    if (part === null) return null;
    all.push(...part);
  }
  return inOrder(all).slice(0, limit);
}

function newestByTaskId(
  db: Db,
  search: { scope: Scope; needle: string; filter: TaskFilter },
  { limit, deadlineMs, sizes }: Need,
): Promise<Position[] | null> {
  const cap = sizes.shortRows;
  if (db.dialect === "sqlite") return newestByIdIndex(db.slow, search, { limit, cap });
  const timeoutMs = Math.min(Math.max(1, deadlineMs - performance.now()), maxStatementMs);
  return newestByIdLine(db, search, { limit, cap, timeoutMs });
}

/** What one statement may take where the whole answer is wanted. */
const maxStatementMs = 10_000;

/** The newest matches among the rows with one of the values, which the text of the filter is known to match. */
async function newestOfSource(
  db: Db,
  scope: Scope,
  source: NonNullable<Source>,
  { filter, limit, shortRows }: { filter: TaskFilter; limit: number; shortRows: number },
): Promise<Position[] | null> {
  if (!isCombined(filter)) return newestOfValues(db.slow, db.dialect, scope, source, limit);
  let rows = 0;
  for (let start = 0; start < source.values.length && rows < shortRows; start += valuesPerCount) {
    const values = source.values.slice(start, start + valuesPerCount);
    rows += await countSource(db.slow, db.dialect, scope, { ...source, values }, shortRows);
  }
  return rows < shortRows ? matchesAmong(db.slow, db.dialect, { scope, source, filter }, limit) : null;
}

const valuesPerCount = 100;

/** Positions newest first, each once. */
function inOrder(positions: readonly Position[]): Position[] {
  const each = new Map(positions.map((position) => [position.id, position]));
  return [...each.values()].sort(
    (a, b) => b.receivedAt.getTime() - a.receivedAt.getTime() || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0),
  );
}
