import { type RawBuilder, sql } from "kysely";
import { bucketNumber, type TimeBuckets } from "../../../platform/database/dialects/expressions/time-buckets.ts";
import { givenText, valuesTable } from "../../../platform/database/dialects/expressions/values-table.ts";
import { withinTime } from "../../../platform/database/dialects/time-limit.ts";
import type { BrainDatabase, Db } from "../../../schema/tables/index.ts";
import { matchCondition } from "../query/condition-reads.ts";
import { distinctValues, tasksByColumn, type ValueColumn } from "../search/distinct-values-reads.ts";
import {
  bounds,
  type ListScope,
  rowAtPlace,
  type SourceWalk,
  seenColumns,
  sourceInListOrder,
  type TaskPosition,
} from "../search/match-reads.ts";

// Counts tasks per value. Every function here reads a bounded number of rows or index entries.

/** How tasks are grouped: by the value of a column, or by state and time bucket, as `<index>:<state>`. */
export type GroupKey = ValueColumn | TimeBuckets;

export interface ValueGroup {
  /** Null for tasks without a value. */
  readonly value: string | null;
  readonly count: number;
}

interface GroupStep {
  readonly groups: readonly ValueGroup[];
  /** The last row that was read, when the walk continues below it. */
  readonly end: TaskPosition | null;
}

const keyText = (key: GroupKey): RawBuilder<unknown> =>
  typeof key === "string" ? sql.ref(key) : sql`${bucketNumber("received_at", key)} || ':' || state`;

/** Counts the matches among the next `rows` rows of a walk, by key. */
export async function groupStep(db: BrainDatabase, grouping: Grouping, rows: number): Promise<GroupStep> {
  return stepOf((await groupStatement(grouping, rows).execute(db.slow)).rows);
}

/** Like `groupStep`, but null when the time limit was reached. */
export async function groupStepInTime(
  db: BrainDatabase,
  grouping: Grouping,
  { rows, timeoutMs }: { rows: number; timeoutMs: number },
): Promise<GroupStep | null> {
  const parts = await withinTime(db, groupStatement(grouping, rows), timeoutMs);
  return parts === null ? null : stepOf(parts);
}

interface Grouping {
  readonly walk: SourceWalk;
  readonly key: GroupKey;
}
type GroupPart = ValueGroup & { readonly id: string | null; readonly received_at: Date | null };

function groupStatement({ walk: { scope, source, filter }, key }: Grouping, rows: number): RawBuilder<GroupPart> {
  // Only the terms of a query use engines.
  const isUnseen = key === "engine" && filter.terms === undefined;
  return sql`
    SELECT value, count(CASE WHEN is_match THEN 1 END) AS count, ${rowAtPlace(rows)}
    FROM (
      SELECT id, received_at, ${keyText(key)} AS value, ((${matchCondition(filter)}) IS TRUE) AS is_match,
        row_number() OVER (ORDER BY received_at DESC, id DESC) AS place
      FROM (
        SELECT ${seenColumns(filter)}${isUnseen ? sql`, ${sql.ref(key)}` : sql``} ${sourceInListOrder(scope, source)} LIMIT ${rows}
      ) AS task
    ) AS seen GROUP BY value`;
}

function stepOf(parts: readonly GroupPart[]): GroupStep {
  const last = parts.find(({ id }) => id !== null);
  return {
    groups: parts.map(({ value, count }) => ({ value, count: Number(count) })),
    end: last?.id == null || last.received_at === null ? null : { id: last.id, receivedAt: last.received_at },
  };
}

/** The keys of the tasks with these ids, and how many tasks have each. */
export async function groupsAmong(
  db: Db,
  { ids, key }: { ids: readonly string[]; key: GroupKey },
): Promise<ValueGroup[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<ValueGroup>`
    SELECT ${keyText(key)} AS value, count(*) AS count FROM tasks WHERE id IN (${sql.join(ids)}) GROUP BY 1`.execute(
    db,
  );
  return rows.map(({ value, count }) => ({ value, count: Number(count) }));
}

/**
 * At most `limit` distinct values of a column that start with the prefix, in order. Each costs one step in the column's index. Null when
 * the time limit was reached.
 */
export async function valuesFrom(
  database: BrainDatabase,
  projectId: string,
  { column, prefix }: { column: ValueColumn; prefix: string },
  { limit, timeoutMs }: { limit: number; timeoutMs: number },
): Promise<string[] | null> {
  const query = distinctValues(projectId, { column, prefix }, limit);
  const rows = await withinTime(database, query, timeoutMs);
  return rows === null ? null : rows.map(({ value }) => value);
}

/** How many tasks in the scope have each of the values, counted up to `cap`. Null when the time limit was reached. */
export async function countEachValue(
  database: BrainDatabase,
  scope: ListScope,
  { column, values }: { column: ValueColumn; values: readonly string[] },
  { cap, timeoutMs }: { cap: number; timeoutMs: number },
): Promise<Map<string, number> | null> {
  const conditions = sql.join(
    [sql`project_id = ${scope.projectId}`, sql`${sql.ref(column)} = ${givenText}`, ...bounds(scope)],
    sql` AND `,
  );
  const query = sql<{ value: string; count: number }>`
    SELECT given.value, (SELECT count(*) FROM (
      SELECT 1 FROM ${tasksByColumn(column)} WHERE ${conditions} LIMIT ${cap}) AS part) AS count
    FROM ${valuesTable("text", values)}`;
  const rows = await withinTime(database, query, timeoutMs);
  return rows === null ? null : new Map(rows.map(({ value, count }) => [value, Number(count)]));
}
