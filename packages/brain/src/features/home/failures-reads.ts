import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";

type Db = Database<Tables>;

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

/**
 * Where the newest failures of several projects are: the first ones of each through the index of kinds, and of those the newest. What it
 * costs is given by the number of projects and the limit, and on the server database by the days that are looked at: `since` narrows these.
 */
export async function newestFailures(
  { slow, dialect }: Pick<Db, "slow" | "dialect">,
  ids: readonly string[],
  { after, since = null, limit }: { after: FailurePosition | null; since?: Date | null; limit: number },
): Promise<FailurePlace[]> {
  const isSince = since === null ? sql`` : sql`AND occurred_at >= ${since}`;
  const isAfter =
    after === null
      ? isSince
      : sql`${isSince} AND occurred_at <= ${after.occurredAt} AND (occurred_at, id) < (${after.occurredAt}, ${after.id})`;
  const first = sql`ORDER BY occurred_at DESC, id DESC LIMIT ${limit}`;
  // The range of (kind, occurred_at) and the order by kind leave the server database no other index than the one meant, whatever its
  // figures say: a kind that is rare would otherwise cost a walk over all events.
  const statement =
    dialect === "postgres"
      ? sql<{ project_id: string; occurred_at: Date; id: string }>`
          SELECT found.project_id, found.occurred_at, found.id
          FROM unnest(${[...ids]}::uuid[]) AS given (id) CROSS JOIN LATERAL (
            SELECT project_id, occurred_at, id FROM events
            WHERE project_id = given.id AND (kind, occurred_at) >= (${failedKind}, '-infinity'::timestamptz)
              AND (kind, occurred_at) <= (${failedKind}, ${after?.occurredAt ?? "infinity"}::timestamptz) ${isAfter}
            ORDER BY kind DESC, occurred_at DESC, id DESC LIMIT ${limit}
          ) AS found ${first}`
      : sql<{ project_id: string; occurred_at: Date; id: string }>`
          SELECT e.project_id, e.occurred_at, e.id
          FROM json_each(${JSON.stringify(ids)}) AS given CROSS JOIN events AS e
          WHERE e.rowid IN (
            SELECT rowid FROM events INDEXED BY events_by_kind
            WHERE project_id = given.value AND kind = ${failedKind} ${isAfter} ${first}
          ) ORDER BY e.occurred_at DESC, e.id DESC LIMIT ${limit}`;
  const { rows } = await statement.execute(slow);
  return rows.map(({ project_id, occurred_at, id }) => ({ projectId: project_id, occurredAt: occurred_at, id }));
}

/** The failures at these places, in their order; what an event does not tell comes from its task. */
export async function failuresAt(
  { slow, dialect }: Pick<Db, "slow" | "dialect">,
  places: readonly FailurePlace[],
): Promise<FailureRow[]> {
  if (places.length === 0) return [];
  const values = places.map(({ projectId, occurredAt, id }) =>
    dialect === "postgres"
      ? sql`(${projectId}::uuid, ${occurredAt}::timestamptz, ${id}::uuid)`
      : sql`(${projectId}, ${occurredAt}, ${id})`,
  );
  const { rows } = await sql<FailureRow>`
    WITH given (project_id, occurred_at, id) AS (VALUES ${sql.join(values)})
    SELECT e.id, e.occurred_at, e.project_id, e.engine, e.task_id,
      coalesce(e.payload ->> 'task_name', t.name) AS task_name, coalesce(e.payload ->> 'worker', t.worker_name) AS worker,
      substr(e.payload ->> 'exception', 1, ${sql.lit(exceptionCharacters)}) AS exception, t.priority
    FROM given JOIN events AS e ON e.project_id = given.project_id AND e.occurred_at = given.occurred_at AND e.id = given.id
      LEFT JOIN tasks AS t ON t.project_id = e.project_id AND t.engine = e.engine AND t.task_id = e.task_id
    ORDER BY e.occurred_at DESC, e.id DESC`.execute(slow);
  return rows;
}
