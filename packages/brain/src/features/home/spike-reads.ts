import { sql } from "kysely";
import { indexed } from "../../platform/database/dialects/expressions/index-hints.ts";
import type { Db } from "../../schema/tables/index.ts";

export interface FrequentIssue {
  readonly project_id: string;
  readonly fingerprint: string;
  readonly count: number;
  /** Failures that were scanned in the project, of all issues. */
  readonly seen: number;
}

/**
 * Per project the issue that is most frequent among its newest failures since `from`, of which at most `limit` are scanned. The cost depends
 * on the number of projects and the limit.
 */
export async function mostFrequentIssues(
  slow: Db,
  ids: readonly string[],
  { from, limit }: { from: Date; limit: number },
): Promise<FrequentIssue[]> {
  if (ids.length === 0) return [];
  const parts = ids.map(
    (id) => sql`
      SELECT * FROM (
        SELECT project_id, fingerprint, count(*) AS count, sum(count(*)) OVER () AS seen FROM (
          SELECT project_id, fingerprint FROM ${indexed("tasks", "tasks_by_failure")}
          WHERE project_id = ${id} AND fingerprint IS NOT NULL AND last_failed_at >= ${from}
          ORDER BY last_failed_at DESC LIMIT ${limit}
        ) AS newest GROUP BY project_id, fingerprint ORDER BY count(*) DESC, fingerprint LIMIT 1
      ) AS most`,
  );
  const { rows } = await sql<FrequentIssue>`${sql.join(parts, sql` UNION ALL `)}`.execute(slow);
  return rows.map((row) => ({ ...row, count: Number(row.count), seen: Number(row.seen) }));
}

export interface EarlierIssue {
  readonly project_id: string;
  /** Failures within [from, to), at most the limit. */
  readonly count: number;
  readonly sample_task_name: string | null;
  readonly sample_exception: string | null;
}

const exceptionCharacters = 2000;

/** How often each issue occurred in [from, to), counted up to its own limit, and a sample of its newest failure. */
export async function earlierFailures(
  slow: Db,
  issues: readonly (Pick<FrequentIssue, "project_id" | "fingerprint"> & { readonly limit: number })[],
  { from, to }: { from: Date; to: Date },
): Promise<EarlierIssue[]> {
  if (issues.length === 0) return [];
  const parts = issues.map(({ project_id: id, fingerprint, limit }) => {
    const ofIssue = sql`project_id = ${id} AND fingerprint = ${fingerprint} AND fingerprint IS NOT NULL`;
    const newest = sql`WHERE ${ofIssue} ORDER BY last_failed_at DESC LIMIT 1`;
    return sql`
      SELECT ${id} AS project_id, (
        SELECT count(*) FROM (
          SELECT 1 FROM tasks WHERE ${ofIssue} AND last_failed_at >= ${from} AND last_failed_at < ${to} LIMIT ${limit}
        ) AS earlier
      ) AS count, (SELECT name FROM tasks ${newest}) AS sample_task_name,
      (SELECT substr(exception, 1, ${sql.lit(exceptionCharacters)}) FROM tasks ${newest}) AS sample_exception`;
  });
  const { rows } = await sql<EarlierIssue>`${sql.join(parts, sql` UNION ALL `)}`.execute(slow);
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}
