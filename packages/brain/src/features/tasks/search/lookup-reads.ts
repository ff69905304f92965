import { type RawBuilder, sql } from "kysely";
import { newestThrough } from "../../../platform/database/dialects/expressions/index-hints.ts";
import type { Db } from "../../../schema/tables/index.ts";
import { matchCondition } from "../query/condition-reads.ts";
import type { ListFilter } from "../query/query.ts";
import { bounds, type ListScope, type PositionRow, positionOf, seenColumns, type TaskPosition } from "./match-reads.ts";

/** Maximum number of engines whose indexes are searched; the tasks of a project with more are walked instead. */
const maxEngines = 50;

/** The engines of a project, each found by one step in the index of task ids; null when there are too many. */
export async function enginesOf(db: Db, projectId: string): Promise<string[] | null> {
  const { rows } = await sql<{ value: string }>`
    WITH RECURSIVE each (value) AS (
      SELECT min(engine) FROM tasks WHERE project_id = ${projectId}
      UNION ALL
      SELECT (SELECT min(engine) FROM tasks WHERE project_id = ${projectId} AND engine > each.value) FROM each WHERE each.value IS NOT NULL
    ) SELECT value FROM each WHERE value IS NOT NULL LIMIT ${maxEngines + 1}`.execute(db);
  return rows.length > maxEngines ? null : rows.map(({ value }) => value);
}

/** Task ids from one up to, but not including, another; null is unbounded. */
export interface IdRange {
  readonly from: string | null;
  readonly below: string | null;
}

export interface Lookup {
  readonly scope: ListScope;
  readonly filter: ListFilter;
  readonly engines: readonly string[];
  readonly ranges: readonly IdRange[];
}

/** Maximum number of ranges that one statement searches. */
const maxRanges = 100;

/** The newest matches among the tasks of some engines with ids in some ranges; null when that would read more than `cap` tasks. */
export async function newestOfIds(
  db: Db,
  { scope, filter, engines, ranges }: Lookup,
  most: ReadLimits,
): Promise<TaskPosition[] | null> {
  const parts = engines.flatMap((engine) => ranges.map((range) => ofRange(scope, engine, range)));
  return newestAmong(db, { scope, filter, parts }, most);
}

/** The same among the tasks whose last failure has one of some fingerprints. */
export async function newestOfFingerprints(
  db: Db,
  { scope, filter, fingerprints }: Pick<Lookup, "scope" | "filter"> & { readonly fingerprints: readonly string[] },
  most: ReadLimits,
): Promise<TaskPosition[] | null> {
  const parts = fingerprints.map((fingerprint) => ofFingerprint(scope, fingerprint));
  return newestAmong(db, { scope, filter, parts }, most);
}

interface ReadLimits {
  readonly limit: number;
  readonly cap: number;
}

/** The newest matches among the union of the parts, each of them FROM and WHERE. */
async function newestAmong(
  db: Db,
  { scope, filter, parts }: Pick<Lookup, "scope" | "filter"> & { readonly parts: readonly RawBuilder<unknown>[] },
  { limit, cap }: ReadLimits,
): Promise<TaskPosition[] | null> {
  if (parts.length === 0) return [];
  if (parts.length > maxRanges) return null;
  const each = parts.map((part) => sql`SELECT * FROM (SELECT ${seenColumns(filter)} ${part} LIMIT ${cap + 1}) AS part`);
  const matches = [sql`(${matchCondition(filter)})`, ...bounds(scope)];
  const { rows } = await sql<PositionRow & { seen_count: number }>`
    WITH seen AS MATERIALIZED (SELECT * FROM (${sql.join(each, sql` UNION `)}) AS parts LIMIT ${cap + 1})
    SELECT task.id, task.received_at, (SELECT count(*) FROM seen) AS seen_count FROM seen AS task
    WHERE (SELECT count(*) FROM seen) > ${cap} OR (${sql.join(matches, sql` AND `)})
    ORDER BY received_at DESC, id DESC LIMIT ${limit}`.execute(db);
  return rows.some(({ seen_count: count }) => count > cap) ? null : rows.map(positionOf);
}

function ofRange({ projectId }: ListScope, engine: string, { from, below }: IdRange): RawBuilder<unknown> {
  const conditions = [
    sql`project_id = ${projectId}`,
    sql`engine = ${engine}`,
    ...(from === null ? [] : [sql`task_id >= ${from}`]),
    ...(below === null ? [] : [sql`task_id < ${below}`]),
  ];
  return sql`FROM tasks WHERE ${sql.join(conditions, sql` AND `)}`;
}

const byFingerprint = {
  table: "tasks",
  index: "tasks_by_fingerprint",
  column: "fingerprint",
  time: "last_failed_at",
};

/** A task fails no earlier than it was received, so the range in the index of failures starts where the list does. */
function ofFingerprint({ projectId, since }: ListScope, fingerprint: string): RawBuilder<unknown> {
  const conditions = [sql`project_id = ${projectId}`, sql`fingerprint IS NOT NULL`];
  if (since !== null) conditions.push(sql`last_failed_at >= ${since}`);
  return newestThrough(byFingerprint, sql`${fingerprint}`, conditions, { from: since, to: null });
}
