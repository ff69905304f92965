import { type RawBuilder, type SqlBool, sql } from "kysely";
import { firstOfEach } from "../../../platform/database/dialects/expressions/for-each-given.ts";
import { foundById, indexed, newestThrough } from "../../../platform/database/dialects/expressions/index-hints.ts";
import { greatestId } from "../../../platform/database/dialects/expressions/row-address.ts";
import {
  type BoundedRows,
  type PageBounds,
  rowsWithinBytes,
  type WideTable,
} from "../../../platform/database/dialects/expressions/rows-within-bytes.ts";
import { givenText, isAmong, valuesTable } from "../../../platform/database/dialects/expressions/values-table.ts";
import { withinTime } from "../../../platform/database/dialects/time-limit.ts";
import type { BrainDatabase, Db } from "../../../schema/tables/index.ts";
import { matchCondition } from "../query/condition-reads.ts";
import type { ListFilter } from "../query/query.ts";
import { largeColumns, type PublicColumn, type PublicTaskRow } from "../task-fields.ts";
import type { Pace } from "./step-pace.ts";

// How the list finds its rows. A *source* is a set of tasks that one index returns in list order (newest received first, then by id): all
// tasks of the project, or those with one value in one column. Every function here reads a bounded number of rows of one source.

/** Position of a row in the list. */
export interface TaskPosition {
  readonly receivedAt: Date;
  readonly id: string;
}

export interface ListScope {
  readonly projectId: string;
  readonly since: Date | null;
  /** Inclusive; a walk continues from `after`. */
  readonly until: Date | null;
  readonly after: TaskPosition | null;
}

/** `error` is not a column: its only value is every task with an exception or a traceback. */
export type SourceColumn = "state" | "priority" | "queue" | "worker_name" | "name" | "error";

/** Rows whose column holds one of the values; null is every row of the project. */
export type TaskSource = { readonly column: SourceColumn; readonly values: readonly string[] } | null;

export const indexOf: Record<SourceColumn, string> = {
  state: "tasks_by_state",
  priority: "tasks_by_priority",
  queue: "tasks_by_queue",
  worker_name: "tasks_by_worker",
  name: "tasks_by_name",
  error: "tasks_by_error",
};

/** The condition of the index of failed tasks, word for word. */
export const hasError = sql<SqlBool>`(exception IS NOT NULL OR traceback IS NOT NULL)`;

/** The bounds of a scope as conditions on received_at and id: only the lower of two upper bounds, because an index search has one start. */
export function bounds({ since, until, after }: ListScope): RawBuilder<SqlBool>[] {
  const all: RawBuilder<SqlBool>[] = [];
  if (since !== null) all.push(sql`received_at >= ${since}`);
  if (until !== null && (after === null || until < after.receivedAt)) all.push(sql`received_at <= ${until}`);
  else if (after !== null)
    all.push(sql`received_at <= ${after.receivedAt}`, sql`(received_at, id) < (${after.receivedAt}, ${after.id})`);
  return all;
}

/**
 * FROM, WHERE and ORDER BY that read a source through its own index, whatever the query planner prefers. Rows of one instant come in any
 * order: not all of these indexes contain the id, and counting does not need to read the row.
 */
function inTimeOrder(scope: ListScope, column: SourceColumn | null, value: RawBuilder<unknown>): RawBuilder<unknown> {
  const conditions = [sql`project_id = ${scope.projectId}`, ...bounds(scope)];
  if (column === null || column === "error") {
    if (column === "error") conditions.push(hasError);
    const index = column === null ? "tasks_by_time" : indexOf[column];
    return sql`FROM ${indexed("tasks", index)} WHERE ${sql.join(conditions, sql` AND `)} ORDER BY received_at DESC`;
  }
  const { since, until, after } = scope;
  const newest = after !== null && (until === null || after.receivedAt <= until) ? after.receivedAt : until;
  const index = { table: "tasks", index: indexOf[column], column, time: "received_at" };
  return newestThrough(index, value, conditions, { from: since, to: newest });
}

/** The same, with rows of one instant by id. */
const inListOrder = (...source: Parameters<typeof inTimeOrder>): RawBuilder<unknown> =>
  sql`${inTimeOrder(...source)}, id DESC`;

/** A source with at most one value in list order. */
export const sourceInListOrder = (scope: ListScope, source: TaskSource): RawBuilder<unknown> =>
  inListOrder(scope, source?.column ?? null, sql`${source?.values[0] ?? null}`);

/** The columns to read of a page's rows, and the connection to use. */
export interface RowReads<Column extends PublicColumn = PublicColumn> {
  readonly db: Db;
  readonly columns: readonly Column[];
}

const placeColumns = ["id", "received_at"] as const;
/** A row with the requested columns and its position in the list. */
export type ReadRow<Column extends PublicColumn> = Pick<PublicTaskRow, Column | (typeof placeColumns)[number]>;

const wideTasks = (columns: readonly PublicColumn[]): WideTable => ({
  name: "tasks",
  columns: [...new Set([...placeColumns, ...columns])],
  largeColumns: largeColumns.filter((column) => columns.includes(column)),
  orderedBy: ["received_at", "id"],
});

/** The newest rows of a source with at most one value. */
export async function newestRows<Column extends PublicColumn>(
  { db, columns }: RowReads<Column>,
  scope: ListScope,
  source: TaskSource,
  bounds: PageBounds,
): Promise<BoundedRows<ReadRow<Column>>> {
  return rowsWithinBytes(db, { table: wideTasks(columns), from: sourceInListOrder(scope, source) }, bounds);
}

/** The newest rows of a project among those with these ids. */
export async function rowsByIds<Column extends PublicColumn>(
  { db, columns }: RowReads<Column>,
  { projectId, ids }: { projectId: string; ids: readonly string[] },
  bounds: PageBounds,
): Promise<BoundedRows<ReadRow<Column>>> {
  if (ids.length === 0) return { rows: [], hasMore: false };
  const found = foundById("tasks", ids, sql`project_id = ${projectId}`);
  const from = sql`${found} ORDER BY received_at DESC, id DESC`;
  return rowsWithinBytes(db, { table: wideTasks(columns), from }, bounds);
}

export interface PositionRow {
  id: string;
  received_at: Date;
}

export const positionOf = ({ id, received_at }: PositionRow): TaskPosition => ({ receivedAt: received_at, id });

/** The newest positions of a project's tasks. */
export async function newestPlaces(db: Db, scope: ListScope, limit: number): Promise<TaskPosition[]> {
  const query = sql<PositionRow>`SELECT id, received_at ${sourceInListOrder(scope, null)} LIMIT ${limit}`;
  return (await query.execute(db)).rows.map(positionOf);
}

/** Up to this many values, the newest rows of each are read directly, which costs no more. */
const fewValues = 4;

/**
 * The newest rows over all values of a column, however many values there are. With many, one row of each is read first: enough of these
 * bound the time range, so that hardly more rows are read than requested. Null when the time limit was reached.
 */
export async function newestOfValues(
  db: BrainDatabase,
  scope: ListScope,
  source: NonNullable<TaskSource>,
  { limit, pace }: { limit: number; pace: Pick<Pace, "leftMs"> },
): Promise<TaskPosition[] | null> {
  const isMany = source.values.length > fewValues;
  const part = isMany ? await newestPart(db, scope, source, { limit, pace }) : { scope, source };
  if (part === null) return null;
  const ofValue = inListOrder(part.scope, source.column, givenText);
  const own = firstOfEach({ table: "tasks", alias: "own", columns: placeColumns }, ofValue, limit);
  const query = sql<PositionRow>`
    SELECT own.id, own.received_at FROM ${valuesTable("text", part.source.values)} ${own}
    ORDER BY own.received_at DESC, own.id DESC LIMIT ${limit}`;
  return (await withinTime(db, query, pace.leftMs()))?.map(positionOf) ?? null;
}

/** The values and the time range that contain the newest `limit` rows of a source; null when the time limit was reached. */
async function newestPart(
  db: BrainDatabase,
  scope: ListScope,
  source: NonNullable<TaskSource>,
  { limit, pace }: { limit: number; pace: Pick<Pace, "leftMs"> },
): Promise<{ scope: ListScope; source: NonNullable<TaskSource> } | null> {
  // This number of rows per value gives enough rows. Half of the values are enough, because the others may be rare.
  const place = Math.ceil((2 * limit) / source.values.length);
  const enough = Math.ceil(limit / place);
  const ofValue = inTimeOrder(scope, source.column, givenText);
  const query = sql<{ value: string; received_at: Date }>`
    SELECT value, received_at FROM (
      SELECT given.value, (SELECT received_at ${ofValue} LIMIT 1 OFFSET ${place - 1}) AS received_at
      FROM ${valuesTable("text", source.values)}
    ) AS row WHERE received_at IS NOT NULL ORDER BY received_at DESC`;
  const rows = await withinTime(db, query, pace.leftMs());
  if (rows === null) return null;
  const since = rows[enough - 1]?.received_at ?? null;
  // When the newest row of each value was read, the other values have none in this time range.
  const near = rows.filter(({ received_at }) => since === null || received_at >= since);
  const values = place === 1 ? near.map(({ value }) => value) : source.values;
  return { scope: { ...scope, since: since ?? scope.since }, source: { ...source, values } };
}

/** The number of rows of a source, counted up to `cap`. */
export async function countSource(db: Db, scope: ListScope, source: TaskSource, cap: number): Promise<number> {
  const parts = (source?.values ?? [null]).map(
    (value) =>
      sql`SELECT 1 FROM (SELECT 1 ${inTimeOrder(scope, source?.column ?? null, sql`${value}`)} LIMIT ${cap}) AS part`,
  );
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM (${sql.join(parts, sql` UNION ALL `)} LIMIT ${cap}) AS counted`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

/** Result of one step of a walk: the matches in order and, when the source continues below, the last row that was read. */
export interface Step {
  readonly found: readonly TaskPosition[];
  readonly end: TaskPosition | null;
}

export interface SourceWalk {
  readonly scope: ListScope;
  /** A source with at most one value. */
  readonly source: TaskSource;
  readonly filter: ListFilter;
}

/** What a condition uses; of the texts of an error, only whether one exists. */
export const seenColumns = ({ terms, hasError: isAsked }: ListFilter): RawBuilder<unknown> =>
  sql.join([
    ...["id", "received_at", "state", "priority", "queue", "worker_name", "name", "task_id"].map((name) =>
      sql.ref(name),
    ),
    ...(terms === undefined
      ? []
      : [
          "engine",
          "release",
          "fingerprint",
          "runtime_ms",
          "wait_ms",
          "retry_count",
          "attempt",
          "eta",
          "last_event_at",
        ].map((name) => sql.ref(name))),
    ...(isAsked ? [sql`CASE WHEN ${hasError} THEN '' END AS exception, NULL AS traceback`] : []),
  ]);

/** The next `rows` rows of a walk, each with its position among them (from 1) and whether it matches. */
function judged({ scope, source, filter }: SourceWalk, rows: number): RawBuilder<unknown> {
  return sql`
    SELECT id, received_at, ((${matchCondition(filter)}) IS TRUE) AS is_match, row_number() OVER (ORDER BY received_at DESC, id DESC) AS place
    FROM (SELECT ${seenColumns(filter)} ${sourceInListOrder(scope, source)} LIMIT ${rows}) AS task`;
}

/** Reads the next `rows` rows of a walk and returns those that match, at most `limit`; `end` is where it stopped. */
export async function walkStep(db: Db, walk: SourceWalk, step: { rows: number; limit: number }): Promise<Step> {
  const { rows: hits } = await sql<PositionRow & { is_match: boolean; place: number }>`
    SELECT id, received_at, is_match, place FROM (${judged(walk, step.rows)}) AS seen
    WHERE is_match OR place = ${step.rows} ORDER BY place LIMIT ${step.limit + 1}`.execute(db);
  const last = hits.find(({ place }) => place === step.rows);
  const found = hits.filter(({ is_match }) => is_match).slice(0, step.limit);
  return { found: found.map(positionOf), end: last === undefined ? null : positionOf(last) };
}

/** Result of one counting step and what is left to count; null at the end. */
export interface CountStep {
  readonly count: number;
  readonly rest: ListScope | null;
}

/** The row at a position as columns of a grouped statement: null except for the group that contains it. */
export const rowAtPlace = (place: number): RawBuilder<unknown> => {
  const isThere = sql`CASE WHEN place = ${place} THEN`;
  return sql`${greatestId(sql`${isThere} id END`)} AS id, max(${isThere} received_at END) AS received_at`;
};

/** Counts the matches among the next `rows` rows of a walk. */
export async function countStep(db: Db, walk: SourceWalk, rows: number): Promise<CountStep> {
  const { rows: answer } = await sql<{ count: number; id: string | null; received_at: Date | null }>`
    SELECT count(CASE WHEN is_match THEN 1 END) AS count, ${rowAtPlace(rows)} FROM (${judged(walk, rows)}) AS seen`.execute(
    db,
  );
  const { count = 0, id = null, received_at = null } = answer[0] ?? {};
  const isOver = id === null || received_at === null;
  return { count: Number(count), rest: isOver ? null : { ...walk.scope, after: { id, receivedAt: received_at } } };
}

/** Matching ids after `afterId` in id order, among the next `rows` rows; `end` is the last id that was read when there are more. */
export async function idStep(
  db: Db,
  { scope, filter, afterId, rows }: { scope: ListScope; filter: ListFilter; afterId: string | null; rows: number },
): Promise<{ ids: string[]; end: string | null }> {
  const conditions = [sql`project_id = ${scope.projectId}`];
  if (afterId !== null) conditions.push(sql`id > ${afterId}`);
  const matches = sql.join([sql`(${matchCondition(filter)})`, ...bounds(scope)], sql` AND `);
  const { rows: seen } = await sql<{ id: string; is_match: boolean }>`
    SELECT id, ((${matches}) IS TRUE) AS is_match
    FROM (SELECT ${seenColumns(filter)} FROM tasks
          WHERE ${sql.join(conditions, sql` AND `)} ORDER BY id LIMIT ${rows}) AS task ORDER BY id`.execute(db);
  const ids = seen.filter(({ is_match }) => is_match).map(({ id }) => id);
  return { ids, end: seen.length < rows ? null : (seen.at(-1)?.id ?? null) };
}

/**
 * The matching rows of a source with several values, which is read completely: for short sources. Newest first; null when the time limit was
 * reached.
 */
export async function matchesAmong(
  db: BrainDatabase,
  { scope, source, filter }: { scope: ListScope; source: NonNullable<TaskSource>; filter: ListFilter },
  { limit, timeoutMs }: { limit: number; timeoutMs: number },
): Promise<TaskPosition[] | null> {
  const conditions = [
    sql`project_id = ${scope.projectId}`,
    isAmong(source.column, "text", source.values),
    ...bounds(scope),
    sql`(${matchCondition(filter)})`,
  ];
  const query = sql<PositionRow>`
    SELECT id, received_at FROM ${indexed("tasks", indexOf[source.column], "task")} WHERE ${sql.join(conditions, sql` AND `)}
    ORDER BY received_at DESC, id DESC LIMIT ${limit}`;
  return (await withinTime(db, query, timeoutMs))?.map(positionOf) ?? null;
}
