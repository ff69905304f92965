import type { QueryField } from "@svc/client/task-query";
import { systemClock } from "../../platform/clock.ts";
import { decodeCursor, encodeCursor } from "../../platform/http/content/cursors.ts";
import { clampLimit, type PageSizes } from "../../platform/http/content/paging.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { countPlan } from "./breakdowns/count-matches.ts";
import { filterOfQuery } from "./query/filter.ts";
import { planOf, type QueryPlan } from "./query/query.ts";
import { addressKey, changedRows, lineageOf } from "./reads.ts";
import type { TaskListQuery } from "./schemas.ts";
import { findContent } from "./search/find-content.ts";
import { findMatches, type Search, type SearchSizes, scopeOf } from "./search/find-matches.ts";
import { newestRows, type ReadRow, type RowReads, rowsByIds, type TaskPosition } from "./search/match-reads.ts";
import { resolveTerms } from "./search/newest-by-terms.ts";
import type { StepClock } from "./search/step-pace.ts";
import { indexedSources, isDirect } from "./search/term-sources.ts";
import {
  changedTask,
  type PublicColumn,
  type PublicTask,
  type PublicTaskRow,
  publicColumns,
  publicTask,
} from "./task-fields.ts";

export interface TaskPageAnswer {
  readonly items: PublicTask[];
  readonly next_cursor: string | null;
  readonly total_count: number | null;
  /** Present when the search ran out of time: everything down to `reached` was searched, and `cursor` continues from there. */
  readonly partial?: { readonly reached: Date; readonly cursor: string };
}

/** Time limit for the rows of one page when no index holds them in order; a query of the query language gets more. */
const searchBudgetMs = 200;
const queryBudgetMs = 300;

export interface ListRequest {
  readonly projectId: string;
  readonly query: TaskListQuery;
  readonly budgetMs?: number;
  readonly now?: Date;
  readonly sizes?: SearchSizes;
  readonly clock?: StepClock;
}

/** One page of the task list, newest received first. */
export async function listPage(
  database: BrainDatabase,
  pageSizes: PageSizes,
  request: ListRequest,
): Promise<TaskPageAnswer> {
  const { projectId, query, sizes, clock = systemClock } = request;
  const startMs = clock.monotonicMs();
  const { after, now = request.now ?? new Date() } = readCursor(query.cursor);
  const { filter, content, isRelative } = await planList(database, projectId, { query, now });
  const limit = clampLimit(query.limit, pageSizes);
  const wholeMs = request.budgetMs ?? (query.q === undefined ? searchBudgetMs : queryBudgetMs);
  const budgetMs = wholeMs - (clock.monotonicMs() - startMs);
  const search = { projectId, filter, content, after, limit, budgetMs, clock, ...(sizes !== undefined && { sizes }) };
  const [{ rows, next, isPartial }, total] = await Promise.all([
    matchingPage(database, search, wholeRows(database)),
    query.include_total === true ? countPlan(database, projectId, { filter, content }) : null,
  ]);
  const items = await withLineage(database, projectId, rows);
  // Ages count from the first page, so that no task enters or leaves the later pages.
  const cursor = next === null ? null : encodeCursor([next.receivedAt, next.id, ...(isRelative ? [now] : [])]);
  const page = { items, next_cursor: cursor, total_count: total };
  return isPartial && next !== null && cursor !== null
    ? { ...page, partial: { reached: next.receivedAt, cursor } }
    : page;
}

/** The conditions of a list's parameters, including `q` with the stored values that match its patterns, but without those on the field `aside`. */
export async function planList(
  database: BrainDatabase,
  projectId: string,
  { query, now, aside }: { query: TaskListQuery; now: Date; aside?: QueryField },
): Promise<QueryPlan> {
  const shown = aside === undefined ? query : { ...query, [aside]: undefined };
  const plan = planOf(filterOfQuery(shown), query.q, now, aside);
  return { ...plan, filter: await resolveTerms(database, projectId, plan.filter) };
}

export const wholeRows = ({ read }: BrainDatabase): RowReads => ({
  db: read,
  columns: publicColumns,
});

export interface MatchingPage<Row> {
  readonly rows: Row[];
  /** Where the next page starts; null at the end of the list. */
  readonly next: TaskPosition | null;
  /** The time limit was reached before the page was full. */
  readonly isPartial: boolean;
}

/** The rows of one page of matches: at most `limit`, fewer when they are large. */
export async function matchingPage<Column extends PublicColumn>(
  database: BrainDatabase,
  search: Search,
  reads: RowReads<Column>,
): Promise<MatchingPage<ReadRow<Column>>> {
  const { projectId, filter, content = [], after, limit, maxBytes } = search;
  if (content.length === 0 && isDirect(filter)) {
    const [source = null] = indexedSources(filter);
    const { rows, hasMore } = await newestRows(reads, scopeOf(projectId, filter, after), source, { limit, maxBytes });
    return { rows, next: hasMore ? placeOfLast(rows) : null, isPartial: false };
  }
  const beyond = { ...search, content, limit: limit + 1 };
  const { found, reached } = await (content.length === 0 ? findMatches : findContent)(database, beyond);
  const ids = found.slice(0, limit).map(({ id }) => id);
  const { rows, hasMore } = await rowsByIds(reads, { projectId, ids }, { limit, maxBytes });
  // Matches that did not fit are found again by the next page.
  if (hasMore) return { rows, next: placeOfLast(rows), isPartial: false };
  // A row deleted since it was found is left out; the next page starts at the position of the last one found.
  const isFull = found.length > limit;
  return { rows, next: isFull ? (found[limit - 1] ?? null) : reached, isPartial: !isFull && reached !== null };
}

function placeOfLast(rows: readonly ReadRow<never>[]): TaskPosition | null {
  const last = rows.at(-1);
  return last === undefined ? null : { receivedAt: last.received_at, id: last.id };
}

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface ReadCursor {
  readonly after: TaskPosition | null;
  /** When the first page was requested, if that matters. */
  readonly now?: Date;
}

function readCursor(cursor: string | undefined): ReadCursor {
  const aged = decodeCursor(cursor, ["instant", "string", "instant"]);
  const [receivedAt, id, now] = aged ?? decodeCursor(cursor, ["instant", "string"]) ?? [];
  if (receivedAt === undefined || id === undefined || !uuidForm.test(id)) return { after: null };
  return { after: { receivedAt, id }, ...(now !== undefined && { now }) };
}

/** Tasks by id for the dashboard hub, each with its retry lineage; their large values are not read. */
export async function changedTasks(database: BrainDatabase, projectId: string, ids: readonly string[]) {
  const rows = await changedRows(database, projectId, ids);
  const lineage = await lineageOf(database.read, { projectId, tasks: rows });
  return rows.map((row) => changedTask(row, lineage.get(addressKey(row))));
}

/** The public tasks of rows, each with its retry lineage. */
export async function withLineage(
  database: BrainDatabase,
  projectId: string,
  rows: readonly PublicTaskRow[],
): Promise<PublicTask[]> {
  const lineage = await lineageOf(database.read, { projectId, tasks: rows });
  return rows.map((row) => publicTask(row, lineage.get(addressKey(row))));
}
