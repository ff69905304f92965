import { type RawBuilder, sql } from "kysely";
import type { Database, DialectName } from "../../../platform/database/database.ts";
import type { Tables } from "../../../schema/tables/index.ts";
import { matchCondition } from "../query/condition-reads.ts";
import { distinctValues, type GroupColumn, indexHint } from "../search/distinct-values-reads.ts";
import { bounds, inListOrder, type Position, type Scope, seenColumns, type Walk } from "../search/match-reads.ts";
import { withinTime } from "../search/time-limit-reads.ts";

// How many tasks have which value. Everything here reads a bounded number of rows or of index entries.

type Db = Database<Tables>;
type Runner = Db["read"];

/** What tasks are told apart by: the value of a column, or their state and the part of time that they were received in, as `<index>:<state>`. */
export type GroupKey = GroupColumn | { readonly fromMs: number; readonly widthMs: number };

export interface Group {
  /** Null stands for tasks without one. */
  readonly value: string | null;
  readonly count: number;
}

interface GroupStep {
  readonly groups: readonly Group[];
  /** The last row that was looked at, when the walk goes on below it. */
  readonly end: Position | null;
}

function keyText(dialect: DialectName, key: GroupKey): RawBuilder<unknown> {
  if (typeof key === "string") return sql.ref(key);
  const receivedMs =
    dialect === "postgres" ? sql`floor(extract(epoch FROM received_at) * 1000)::bigint` : sql`received_at / 1000`;
  const index = sql`CAST((${receivedMs} - ${sql.lit(key.fromMs)}) / ${sql.lit(key.widthMs)} AS ${sql.raw(dialect === "postgres" ? "text" : "integer")})`;
  return sql`${index} || ':' || state`;
}

/** How many of the next `rows` rows of a walk match, by key. */
export async function groupStep(db: Db, grouping: Grouping, rows: number): Promise<GroupStep> {
  return stepOf((await groupStatement(db.dialect, grouping, rows).execute(db.slow)).rows);
}

/** The same, or null when the time was used up. */
export async function groupStepInTime(
  db: Db,
  grouping: Grouping,
  { rows, timeoutMs }: { rows: number; timeoutMs: number },
): Promise<GroupStep | null> {
  const parts = await withinTime(db, groupStatement(db.dialect, grouping, rows), timeoutMs);
  return parts === null ? null : stepOf(parts);
}

interface Grouping {
  readonly walk: Walk;
  readonly key: GroupKey;
}
type GroupPart = Group & { readonly id: string | null; readonly received_at: Date | null };

function groupStatement(
  dialect: DialectName,
  { walk: { scope, source, filter }, key }: Grouping,
  rows: number,
): RawBuilder<GroupPart> {
  const from = inListOrder(dialect, scope, source?.column ?? null, sql`${source?.values[0] ?? null}`);
  // Only the terms of a query look at engines.
  const isUnseen = key === "engine" && filter.terms === undefined;
  return sql`
    SELECT value, count(CASE WHEN is_match THEN 1 END) AS count,
      max(CASE WHEN place = ${rows} THEN ${dialect === "postgres" ? sql`id::text` : sql`id`} END) AS id,
      max(CASE WHEN place = ${rows} THEN received_at END) AS received_at
    FROM (
      SELECT id, received_at, ${keyText(dialect, key)} AS value, ((${matchCondition(dialect, filter)}) IS TRUE) AS is_match,
        row_number() OVER (ORDER BY received_at DESC, id DESC) AS place
      FROM (SELECT ${seenColumns(filter)}${isUnseen ? sql`, ${sql.ref(key)}` : sql``} ${from} LIMIT ${rows}) AS task
    ) AS seen GROUP BY value`;
}

function stepOf(parts: readonly GroupPart[]): GroupStep {
  const last = parts.find(({ id }) => id !== null);
  return {
    groups: parts.map(({ value, count }) => ({ value, count: Number(count) })),
    end: last?.id == null || last.received_at === null ? null : { id: last.id, receivedAt: last.received_at },
  };
}

/** The keys of the tasks with these ids, and how many have each. */
export async function groupsAmong(
  db: Runner,
  dialect: DialectName,
  { ids, key }: { ids: readonly string[]; key: GroupKey },
): Promise<Group[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<Group>`
    SELECT ${keyText(dialect, key)} AS value, count(*) AS count FROM tasks WHERE id IN (${sql.join(ids)}) GROUP BY 1`.execute(
    db,
  );
  return rows.map(({ value, count }) => ({ value, count: Number(count) }));
}

/**
 * Distinct values of a column that begin with the prefix, in order, `limit` at most: each is found by one step in the column's index.
 * Null when the time was used up.
 */
export async function valuesFrom(
  database: Db,
  projectId: string,
  { column, prefix }: { column: GroupColumn; prefix: string },
  { limit, timeoutMs }: { limit: number; timeoutMs: number },
): Promise<string[] | null> {
  const query = distinctValues(database.dialect, projectId, { column, prefix }, limit);
  const rows = await withinTime(database, query, timeoutMs);
  return rows === null ? null : rows.map(({ value }) => value);
}

/** How many tasks in the scope have each of the values, counting no further than `cap`. Null when the time was used up. */
export async function countsOf(
  database: Db,
  scope: Scope,
  { column, values }: { column: GroupColumn; values: readonly string[] },
  { cap, timeoutMs }: { cap: number; timeoutMs: number },
): Promise<Map<string, number> | null> {
  const { dialect } = database;
  const [given, collation] =
    dialect === "postgres"
      ? [sql`unnest(${values}::text[]) AS given (value)`, sql` COLLATE "C"`]
      : [sql`json_each(${JSON.stringify(values)}) AS given`, sql``];
  const conditions = sql.join(
    [sql`project_id = ${scope.projectId}`, sql`${sql.ref(column)} = given.value${collation}`, ...bounds(scope)],
    sql` AND `,
  );
  const query = sql<{ value: string; count: number }>`
    SELECT given.value, (SELECT count(*) FROM (
      SELECT 1 FROM tasks${indexHint(dialect, column)} WHERE ${conditions} LIMIT ${cap}) AS part) AS count FROM ${given}`;
  const rows = await withinTime(database, query, timeoutMs);
  return rows === null ? null : new Map(rows.map(({ value, count }) => [value, Number(count)]));
}
