import { sql } from "kysely";
import { indexed } from "../../platform/database/dialects/expressions/index-hints.ts";
import { bucketNumber } from "../../platform/database/dialects/expressions/time-buckets.ts";
import { overflowLabel } from "../../platform/metrics.ts";
import type { Db, RollupRow } from "../../schema/tables/index.ts";
import { isTotal } from "./reads.ts";
import type { TimeRange } from "./time-range.ts";

/** The counted tasks: all of a project, or those of one name, one queue, or both. */
export interface DurationScope {
  readonly projectId: string;
  readonly kinds: readonly string[];
  readonly name?: string | undefined;
  readonly queue?: string | undefined;
}

const columns = ["bucket_at", "kind", "run_histogram", "wait_histogram"] as const;
export type StoredDurations = Pick<RollupRow, (typeof columns)[number]>;
export type NamedDurations = Pick<RollupRow, "name" | "kind" | "count" | "run_histogram">;

/** Durations of a bucket of the answer: concatenated histograms. */
export interface BucketDurations extends Omit<StoredDurations, "bucket_at"> {
  /** From 0. */
  readonly bucket: number;
}

/**
 * Durations in the rollups whose bucket starts in [from, to), by buckets of the answer. A week of a queue has thousands of rows, so the
 * database concatenates their texts.
 */
export async function rollupDurations(
  slow: Db,
  { projectId, kinds, name, queue }: DurationScope,
  { from, to, widthMs }: TimeRange & { readonly widthMs: number },
): Promise<BucketDurations[]> {
  const rows = slow
    .selectFrom("rollups")
    .select([
      bucketNumber("bucket_at", { fromMs: from.getTime(), widthMs }).as("bucket"),
      "kind",
      sql<string | null>`string_agg(run_histogram, '')`.as("run_histogram"),
      sql<string | null>`string_agg(wait_histogram, '')`.as("wait_histogram"),
    ])
    .where("project_id", "=", projectId)
    .where("kind", "in", kinds)
    .where("bucket_at", ">=", from)
    .where("bucket_at", "<", to)
    .groupBy(sql`1, 2`);
  if (name === undefined)
    return rows
      .where(isTotal)
      .where("queue", "=", queue ?? "")
      .execute();
  return (
    rows
      .where("name", "=", name)
      // Not the plain column: a queue may have far more rows than a name, and an index of queues must not be used.
      .$if(queue !== undefined, (query) => query.where(sql<boolean>`queue || '' = ${queue}`))
      .execute()
  );
}

/** The same from the figures by name, which do not include queues: of one name, or of the whole project. */
export const durationsByName = (
  slow: Db,
  grainMinutes: number,
  { projectId, kinds, name = "" }: Omit<DurationScope, "queue">,
  { from, to }: TimeRange,
): Promise<StoredDurations[]> =>
  slow
    .selectFrom("name_rollups")
    .select(columns)
    .where("project_id", "=", projectId)
    .where("grain_minutes", "=", grainMinutes)
    .where("name", "=", name)
    .where("kind", "in", kinds)
    .where("bucket_at", ">=", from)
    .where("bucket_at", "<", to)
    .execute();

/** Names of a project, in a range of the figures that are kept by the hour or the day. */
export interface NamesRange extends TimeRange {
  readonly grainMinutes: number;
}

/** The names with the longest average run time in a range, at most `limit`: a few sums per name. */
export async function longestNames(
  slow: Db,
  { projectId, kinds }: Pick<DurationScope, "projectId" | "kinds">,
  { grainMinutes, from, to, limit }: NamesRange & { readonly limit: number },
): Promise<string[]> {
  // Per name, because an older PostgreSQL version would otherwise read all hours of the project.
  const { rows } = await sql<{ name: string; mean_ms: number }>`
    SELECT name, coalesce((
      SELECT sum(run_ms_sum) * 1.0 / nullif(sum(run_count), 0) FROM name_rollups AS r
      WHERE r.project_id = ${projectId} AND r.grain_minutes = ${grainMinutes} AND r.name = known.name
        AND r.kind IN (${sql.join(kinds)}) AND r.bucket_at >= ${from} AND r.bucket_at < ${to}
    ), -1) AS mean_ms
    FROM (
      SELECT name FROM rollup_names WHERE project_id = ${projectId} UNION ALL SELECT ${sql.lit(overflowLabel)}
    ) AS known ORDER BY mean_ms DESC, name LIMIT ${limit}`.execute(slow);
  return rows.filter(({ mean_ms }) => Number(mean_ms) >= 0).map(({ name }) => name);
}

/** Run times of these names by the minute (of the last 48 h), the hour or the day. */
export async function durationsOfNames(
  slow: Db,
  { projectId, kinds, names }: Pick<DurationScope, "projectId" | "kinds"> & { readonly names: readonly string[] },
  { grainMinutes, from, to }: NamesRange,
): Promise<NamedDurations[]> {
  if (names.length === 0) return [];
  const table = grainMinutes === 1 ? indexed("rollups", "rollups_by_name") : sql`name_rollups`;
  const { rows } = await sql<NamedDurations>`
    SELECT name, kind, count, run_histogram FROM ${table}
    WHERE project_id = ${projectId} AND grain_minutes = ${grainMinutes} AND name IN (${sql.join(names)})
      AND kind IN (${sql.join(kinds)}) AND bucket_at >= ${from} AND bucket_at < ${to}`.execute(slow);
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}
