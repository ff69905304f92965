import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";

type Db = Pick<Database<Tables>, "slow" | "dialect">;

/** Whose failures are looked at; the bounds are of last_failed_at and inclusive, null for none. */
export interface FailureScope {
  readonly projectId: string;
  readonly engine: string | null;
  readonly since: Date | null;
  readonly until: Date | null;
}

const ofFailures = ({ projectId, engine, since, until }: FailureScope): RawBuilder<unknown> => {
  const conditions = [sql`project_id = ${projectId}`, sql`fingerprint IS NOT NULL`];
  if (engine !== null) conditions.push(sql`engine = ${engine}`);
  if (since !== null) conditions.push(sql`last_failed_at >= ${since}`);
  if (until !== null) conditions.push(sql`last_failed_at <= ${until}`);
  return sql.join(conditions, sql` AND `);
};

export interface SeenIssue {
  readonly fingerprint: string;
  /** Among the failures that were walked. */
  readonly last_seen_at: Date;
  readonly first_walked_at: Date;
  readonly count: number;
}

/** The issues among the newest `limit` failures. */
export async function walkFailures({ slow, dialect }: Db, scope: FailureScope, limit: number): Promise<SeenIssue[]> {
  const from = dialect === "sqlite" ? sql`tasks INDEXED BY tasks_by_failure` : sql`tasks`;
  const { rows } = await sql<SeenIssue>`
    SELECT fingerprint, max(last_failed_at) AS last_seen_at, min(last_failed_at) AS first_walked_at, count(*) AS count
    FROM (
      SELECT fingerprint, last_failed_at FROM ${from} WHERE ${ofFailures(scope)} ORDER BY last_failed_at DESC LIMIT ${limit}
    ) AS newest GROUP BY fingerprint`.execute(slow);
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

/** When each of the issues failed last in the scope: one step in the index each. */
export async function lastFailures(
  { slow, dialect }: Db,
  scope: FailureScope,
  fingerprints: readonly string[],
): Promise<Map<string, Date>> {
  const { rows } = await sql<{ fingerprint: string; last_seen_at: Date | null }>`
    SELECT given.value AS fingerprint, (
      SELECT last_failed_at FROM tasks WHERE ${ofFailures(scope)} AND fingerprint = given.value
      ORDER BY last_failed_at DESC LIMIT 1
    ) AS last_seen_at FROM ${listOf(dialect, fingerprints)}`.execute(slow);
  return new Map(rows.flatMap(({ fingerprint, last_seen_at: at }) => (at === null ? [] : [[fingerprint, at]])));
}

const listOf = (dialect: Db["dialect"], values: readonly string[]): RawBuilder<unknown> =>
  dialect === "postgres"
    ? sql`unnest(${[...values]}::text[]) AS given (value)`
    : sql`json_each(${JSON.stringify(values)}) AS given`;

export interface IssueCount {
  readonly fingerprint: string;
  readonly state: string;
  readonly engine: string;
  /** Number of the bucket; 0 without buckets. */
  readonly bucket: number;
  readonly count: number;
}

/** Buckets of a trend, in milliseconds. */
export interface TrendBuckets {
  readonly fromMs: number;
  readonly widthMs: number;
}

/**
 * How many task rows of each issue there are by state, engine and bucket of their last failure; of an issue with more than `limit` the
 * newest are counted. Read from the index alone, issue by issue in one statement.
 */
export async function countIssues(
  { slow, dialect }: Db,
  scope: FailureScope,
  { fingerprints, limit, trend }: { fingerprints: readonly string[]; limit: number; trend: TrendBuckets | null },
): Promise<IssueCount[]> {
  const bucket = bucketOf(dialect, trend);
  const counted = (fingerprint: RawBuilder<unknown>) => sql`
    SELECT fingerprint, state, engine, ${bucket} AS bucket, count(*) AS count FROM (
      SELECT fingerprint, state, engine, last_failed_at FROM tasks
      WHERE ${ofFailures(scope)} AND fingerprint = ${fingerprint} ORDER BY last_failed_at DESC LIMIT ${limit}
    ) AS newest GROUP BY 1, 2, 3, 4`;
  const statement =
    dialect === "postgres"
      ? sql<IssueCount>`
          SELECT counted.* FROM ${listOf(dialect, fingerprints)} CROSS JOIN LATERAL (${counted(sql`given.value`)}) AS counted`
      : sql<IssueCount>`
          ${sql.join(
            fingerprints.map((fingerprint) => sql`SELECT * FROM (${counted(sql`${fingerprint}`)})`),
            sql` UNION ALL `,
          )}`;
  const { rows } = await statement.execute(slow);
  return rows.map((row) => ({ ...row, bucket: Number(row.bucket), count: Number(row.count) }));
}

function bucketOf(dialect: Db["dialect"], trend: TrendBuckets | null): RawBuilder<number> {
  if (trend === null) return sql<number>`0`;
  const { fromMs, widthMs } = trend;
  return dialect === "postgres"
    ? sql<number>`floor((extract(epoch FROM last_failed_at) * 1000 - ${fromMs}::float8) / ${widthMs}::float8)::int`
    : // Towards negative numbers as well: failures before the first bucket are not in it.
      sql<number>`CAST(floor((last_failed_at / 1000.0 - ${fromMs}) / ${widthMs}) AS INTEGER)`;
}

export interface IssueSample {
  readonly fingerprint: string;
  readonly first_seen_at: Date;
  readonly sample_task_name: string;
  readonly sample_exception: string | null;
}

const exceptionCharacters = 2000;

/**
 * The first failure of each issue in all that is kept, and what its newest one in the scope looked like: the event tells it, the task when
 * the event is gone.
 */
export async function sampleIssues(
  { slow, dialect }: Db,
  scope: FailureScope,
  fingerprints: readonly string[],
): Promise<IssueSample[]> {
  const { projectId } = scope;
  const { rows } = await sql<IssueSample>`
    SELECT given.value AS fingerprint, t.name AS sample_task_name,
      (SELECT min(last_failed_at) FROM tasks WHERE project_id = ${projectId} AND fingerprint = given.value) AS first_seen_at,
      substr(coalesce((
        SELECT e.payload ->> 'exception' FROM events AS e
        WHERE e.project_id = ${projectId} AND e.engine = t.engine AND e.task_id = t.task_id AND e.occurred_at = t.last_failed_at
          AND e.kind = 'task.failed' LIMIT 1
      ), t.exception), 1, ${sql.lit(exceptionCharacters)}) AS sample_exception
    FROM ${listOf(dialect, fingerprints)} JOIN tasks AS t ON t.id = (
      SELECT id FROM tasks WHERE ${ofFailures(scope)} AND fingerprint = given.value ORDER BY last_failed_at DESC LIMIT 1
    )`.execute(slow);
  return rows;
}
