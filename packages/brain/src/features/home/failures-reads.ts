import { sql } from "kysely";
import { firstOfEach } from "../../platform/database/dialects/expressions/for-each-given.ts";
import { newestThrough } from "../../platform/database/dialects/expressions/index-hints.ts";
import { valuesRows, valuesTable } from "../../platform/database/dialects/expressions/values-table.ts";
import type { Db } from "../../schema/tables/index.ts";

export interface FailurePosition {
  readonly occurredAt: Date;
  readonly id: string;
}

export interface FailurePlace extends FailurePosition {
  readonly projectId: string;
}

export interface FailureRow {
  readonly id: string;
  readonly occurred_at: Date;
  readonly project_id: string;
  readonly engine: string;
  readonly task_id: string;
  readonly task_name: string | null;
  readonly worker: string | null;
  readonly exception: string | null;
  readonly priority: string | null;
}

const failedKind = "task.failed";
const exceptionCharacters = 2000;

const byKind = { table: "events", index: "events_by_kind", column: "kind", time: "occurred_at", tie: "id" };

/**
 * Positions of the newest failures of several projects: reads the newest of each project through the index of kinds, and keeps the newest
 * of all. The cost depends on the number of projects and the limit, and on PostgreSQL also on the number of days, which `since` limits.
 */
export async function newestFailures(
  slow: Db,
  ids: readonly string[],
  { after, since = null, limit }: { after: FailurePosition | null; since?: Date | null; limit: number },
): Promise<FailurePlace[]> {
  const conditions = [sql`project_id = given.value`];
  if (since !== null) conditions.push(sql`occurred_at >= ${since}`);
  if (after !== null)
    conditions.push(
      sql`occurred_at <= ${after.occurredAt}`,
      sql`(occurred_at, id) < (${after.occurredAt}, ${after.id})`,
    );
  // A rare kind would otherwise cost a walk over all events.
  const newest = newestThrough(byKind, sql`${failedKind}`, conditions, { from: null, to: after?.occurredAt ?? null });
  const own = firstOfEach({ table: "events", alias: "e", columns: ["project_id", "occurred_at", "id"] }, newest, limit);
  const { rows } = await sql<{ project_id: string; occurred_at: Date; id: string }>`
    SELECT e.project_id, e.occurred_at, e.id FROM ${valuesTable("uuid", ids)} ${own}
    ORDER BY e.occurred_at DESC, e.id DESC LIMIT ${limit}`.execute(slow);
  return rows.map(({ project_id, occurred_at, id }) => ({ projectId: project_id, occurredAt: occurred_at, id }));
}

/** The failures at these positions, in their order; values missing in an event come from its task. */
export async function failuresAt(slow: Db, places: readonly FailurePlace[]): Promise<FailureRow[]> {
  if (places.length === 0) return [];
  const given = valuesRows(
    ["uuid", "timestamptz", "uuid"],
    places.map(({ projectId, occurredAt, id }) => [projectId, occurredAt, id]),
  );
  const { rows } = await sql<FailureRow>`
    WITH given (project_id, occurred_at, id) AS (${given})
    SELECT e.id, e.occurred_at, e.project_id, e.engine, e.task_id,
      coalesce(e.payload ->> 'task_name', t.name) AS task_name, coalesce(e.payload ->> 'worker', t.worker_name) AS worker,
      substr(e.payload ->> 'exception', 1, ${sql.lit(exceptionCharacters)}) AS exception, t.priority
    FROM given JOIN events AS e ON e.project_id = given.project_id AND e.occurred_at = given.occurred_at AND e.id = given.id
      LEFT JOIN tasks AS t ON t.project_id = e.project_id AND t.engine = e.engine AND t.task_id = e.task_id
    ORDER BY e.occurred_at DESC, e.id DESC`.execute(slow);
  return rows;
}
