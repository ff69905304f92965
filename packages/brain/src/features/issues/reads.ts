import { type RawBuilder, sql } from "kysely";
import { selectForEach } from "../../platform/database/dialects/expressions/for-each-given.ts";
import { indexed } from "../../platform/database/dialects/expressions/index-hints.ts";
import { bucketNumber, type TimeBuckets } from "../../platform/database/dialects/expressions/time-buckets.ts";
import { valuesRows, valuesTable } from "../../platform/database/dialects/expressions/values-table.ts";
import type { Db } from "../../schema/tables/index.ts";

/** The failures to read; the bounds on last_failed_at are inclusive, null for none. */
export interface FailureScope {
  readonly projectId: string;
  readonly engine: string | null;
  readonly since: Date | null;
  readonly until: Date | null;
}

/** The failures of a scope, whatever their engine: rows of other engines are filtered only after a bounded number was read. */
const ofFailures = ({ projectId, since, until }: FailureScope): RawBuilder<unknown> => {
  const conditions = [sql`project_id = ${projectId}`, sql`fingerprint IS NOT NULL`];
  if (since !== null) conditions.push(sql`last_failed_at >= ${since}`);
  if (until !== null) conditions.push(sql`last_failed_at <= ${until}`);
  return sql.join(conditions, sql` AND `);
};

const ofEngine = ({ engine }: FailureScope): RawBuilder<unknown> =>
  engine === null ? sql`` : sql`WHERE engine = ${engine}`;

const ofMatching = ({ engine }: FailureScope): RawBuilder<unknown> =>
  engine === null ? sql`last_failed_at` : sql`CASE WHEN engine = ${engine} THEN last_failed_at END`;

export interface SeenIssue {
  readonly fingerprint: string;
  readonly last_seen_at: Date;
}

export interface WalkedIssue {
  readonly fingerprint: string;
  /** The newest of the scanned failures; null when none of them is of the engine. */
  readonly last_seen_at: Date | null;
  readonly first_walked_at: Date;
  /** Number of failures of every engine. */
  readonly count: number;
}

/** The issues among the newest `limit` failures. */
export async function walkFailures(slow: Db, scope: FailureScope, limit: number): Promise<WalkedIssue[]> {
  const { rows } = await sql<WalkedIssue>`
    SELECT fingerprint, max(${ofMatching(scope)}) AS last_seen_at, min(last_failed_at) AS first_walked_at, count(*) AS count
    FROM (
      SELECT fingerprint, last_failed_at, engine FROM ${indexed("tasks", "tasks_by_failure")} WHERE ${ofFailures(scope)}
      ORDER BY last_failed_at DESC LIMIT ${limit}
    ) AS newest GROUP BY fingerprint`.execute(slow);
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

export interface FrequentIssue extends SeenIssue {
  /** Number of counted failures, of every issue and engine. */
  readonly counted: number;
}

/** The `limit` most frequent issues among the newest `rows` failures, most frequent first; ties by newest. */
export async function mostFrequent(
  slow: Db,
  scope: FailureScope,
  { rows: most, limit }: { rows: number; limit: number },
): Promise<FrequentIssue[]> {
  const { rows } = await sql<FrequentIssue & { last_seen_at: Date | null }>`
    SELECT fingerprint, max(${ofMatching(scope)}) AS last_seen_at, sum(count(*)) OVER () AS counted
    FROM (
      SELECT fingerprint, last_failed_at, engine FROM ${indexed("tasks", "tasks_by_failure")} WHERE ${ofFailures(scope)}
      ORDER BY last_failed_at DESC LIMIT ${most}
    ) AS newest GROUP BY fingerprint
    ORDER BY count(${ofMatching(scope)}) DESC, last_seen_at DESC, fingerprint DESC LIMIT ${limit}`.execute(slow);
  // Issues of other engines only come last.
  return rows.flatMap(({ last_seen_at: at, ...row }) =>
    at === null ? [] : [{ ...row, last_seen_at: at, counted: Number(row.counted) }],
  );
}

/**
 * All issues of the scope, in no particular order, when the project has at most `limit` issues in total; otherwise null. Steps from one
 * fingerprint to the next in the index, so the cost depends on their number and not on the number of failures. Ignores engines.
 */
export async function fewIssues(
  slow: Db,
  scope: Omit<FailureScope, "engine">,
  limit: number,
): Promise<SeenIssue[] | null> {
  const from = indexed("tasks", "tasks_by_fingerprint");
  const all = { projectId: scope.projectId, engine: null, since: null, until: null };
  const { rows } = await sql<{ place: number; fingerprint: string; last_seen_at: Date | null }>`
    WITH RECURSIVE found (place, fingerprint) AS (
      SELECT 1, (SELECT fingerprint FROM ${from} WHERE ${ofFailures(all)} ORDER BY fingerprint LIMIT 1)
      UNION ALL
      SELECT place + 1, (
        SELECT t.fingerprint FROM ${indexed("tasks", "tasks_by_fingerprint", "t")}
        WHERE t.project_id = ${scope.projectId} AND t.fingerprint > found.fingerprint ORDER BY t.fingerprint LIMIT 1
      ) FROM found WHERE found.fingerprint IS NOT NULL AND place <= ${limit}
    )
    SELECT place, fingerprint, (
      SELECT last_failed_at FROM ${from} WHERE ${ofFailures({ ...scope, engine: null })} AND fingerprint = found.fingerprint
      ORDER BY last_failed_at DESC LIMIT 1
    ) AS last_seen_at FROM found WHERE fingerprint IS NOT NULL`.execute(slow);
  if (rows.length > limit) return null;
  return rows.flatMap(({ fingerprint, last_seen_at: at }) => (at === null ? [] : [{ fingerprint, last_seen_at: at }]));
}

/** The last failure of each issue in the scope, among its newest `limit` failures. */
export async function lastFailures(
  slow: Db,
  scope: FailureScope,
  { fingerprints, limit }: { fingerprints: readonly string[]; limit: number },
): Promise<Map<string, Date>> {
  const { rows } = await sql<{ fingerprint: string; last_seen_at: Date | null }>`
    SELECT given.value AS fingerprint, (
      SELECT last_failed_at FROM (
        SELECT last_failed_at, engine FROM tasks WHERE ${ofFailures(scope)} AND fingerprint = given.value
        ORDER BY last_failed_at DESC LIMIT ${scope.engine === null ? 1 : limit}
      ) AS newest ${ofEngine(scope)} ORDER BY last_failed_at DESC LIMIT 1
    ) AS last_seen_at FROM ${valuesTable("text", fingerprints)}`.execute(slow);
  return new Map(rows.flatMap(({ fingerprint, last_seen_at: at }) => (at === null ? [] : [[fingerprint, at]])));
}

const pairsOf = (seen: readonly SeenIssue[]) =>
  seen.map(({ fingerprint, last_seen_at: at }): [string, Date] => [fingerprint, at]);

/** With an engine, the scan starts at the newest failure of that engine: before it there may be any number of another engine's. */
const upTo = ({ engine }: FailureScope, at: RawBuilder<unknown>): RawBuilder<unknown> =>
  engine === null ? sql`` : sql`AND last_failed_at <= ${at}`;

export interface IssueCount {
  readonly fingerprint: string;
  readonly state: string;
  readonly engine: string;
  /** Number of the bucket; 0 without buckets. */
  readonly bucket: number;
  readonly count: number;
}

/**
 * Number of task rows of each issue by state, engine and bucket of their last failure; for an issue with more than `limit`, the newest are
 * counted, for all engines together. Read from the index alone, issue by issue in one statement.
 */
export async function countIssues(
  slow: Db,
  scope: FailureScope,
  { seen, limit, trend }: { seen: readonly SeenIssue[]; limit: number; trend: TimeBuckets | null },
): Promise<IssueCount[]> {
  const bucket = trend === null ? sql`0` : bucketNumber("last_failed_at", trend);
  const counted = (fingerprint: RawBuilder<unknown>, at: RawBuilder<unknown>) => sql`
    SELECT state, engine, ${bucket} AS bucket, count(*) AS count FROM (
      SELECT state, engine, last_failed_at FROM tasks
      WHERE ${ofFailures(scope)} AND fingerprint = ${fingerprint} ${upTo(scope, at)} ORDER BY last_failed_at DESC LIMIT ${limit}
    ) AS newest GROUP BY 1, 2, 3`;
  const statement = selectForEach<IssueCount>("fingerprint", ["text", "timestamptz"], pairsOf(seen), counted);
  const { rows } = await statement.execute(slow);
  return rows.map((row) => ({ ...row, bucket: Number(row.bucket), count: Number(row.count) }));
}

export interface IssueSample {
  readonly fingerprint: string;
  readonly first_seen_at: Date;
  readonly sample_task_name: string;
  readonly sample_exception: string | null;
}

const exceptionCharacters = 2000;
/** Failures of one instant that are searched for one of the engine. */
const sampledRows = 50;

/**
 * The first retained failure of each issue, and a sample of its newest one in the scope, from the event or, when that was deleted, from the
 * task.
 */
export async function sampleIssues(slow: Db, scope: FailureScope, seen: readonly SeenIssue[]): Promise<IssueSample[]> {
  const { projectId, engine } = scope;
  const { rows } = await sql<IssueSample>`
    WITH given (fingerprint, at) AS (${valuesRows(["text", "timestamptz"], pairsOf(seen))})
    SELECT given.fingerprint, t.name AS sample_task_name,
      (SELECT min(last_failed_at) FROM tasks WHERE project_id = ${projectId} AND fingerprint = given.fingerprint) AS first_seen_at,
      substr(coalesce((
        SELECT e.payload ->> 'exception' FROM events AS e
        WHERE e.project_id = ${projectId} AND e.engine = t.engine AND e.task_id = t.task_id AND e.occurred_at = t.last_failed_at
          AND e.kind = 'task.failed' LIMIT 1
      ), t.exception), 1, ${sql.lit(exceptionCharacters)}) AS sample_exception
    FROM given JOIN tasks AS t ON t.id = (
      SELECT id FROM (
        SELECT id, engine, last_failed_at FROM tasks
        WHERE ${ofFailures(scope)} AND fingerprint = given.fingerprint ${upTo(scope, sql`given.at`)}
        ORDER BY last_failed_at DESC LIMIT ${engine === null ? 1 : sampledRows}
      ) AS newest ${ofEngine(scope)} ORDER BY last_failed_at DESC LIMIT 1
    )`.execute(slow);
  return rows;
}
