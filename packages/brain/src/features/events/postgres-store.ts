import type { PoolClient } from "pg";

/** An event as ingest writes it. */
export interface EventWrite {
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
  readonly engine: string;
  readonly taskId: string;
  readonly kind: string;
  /** occurred_at in milliseconds. */
  readonly at: number;
  /** JSON object as text, redacted. */
  readonly payload: string;
}

// The keys come back only when some rows existed and some did not: a whole new batch and a whole repeated one need none.
const insertText = `
  WITH inserted AS (
    INSERT INTO events (id, project_id, agent_id, engine, task_id, kind, occurred_at, payload)
    SELECT i, p, a, e, t, k, o, d
    FROM jsonb_to_recordset($1::jsonb) AS r (i uuid, p uuid, a uuid, e text, t text, k text, o timestamptz, d jsonb)
    ON CONFLICT (project_id, occurred_at, id) DO NOTHING
    RETURNING id, project_id, occurred_at
  )
  SELECT count(*)::int AS count,
    CASE WHEN count(*) BETWEEN 1 AND $2::int - 1
      THEN array_agg(project_id || ' ' || (extract(epoch FROM occurred_at) * 1000)::bigint || ' ' || id) END AS keys
  FROM inserted`;

const keyOf = ({ projectId, at, id }: EventWrite): string => `${projectId} ${at} ${id}`;

/** Inserts events, given in key order and without repetition, and tells for each whether it is new. */
export async function insertEvents(client: PoolClient, events: readonly EventWrite[]): Promise<boolean[]> {
  const { rows } = await client.query<{ count: number; keys: string[] | null }>({
    name: "ingest-insert-events",
    text: insertText,
    values: [`[${events.map(recordText).join(",")}]`, events.length],
  });
  const { count, keys } = rows[0] as { count: number; keys: string[] | null };
  if (count === events.length) return events.map(() => true);
  const inserted = new Set(keys ?? []);
  return events.map((event) => inserted.has(keyOf(event)));
}

const recordText = ({ id, projectId, agentId, engine, taskId, kind, at, payload }: EventWrite): string =>
  `{"i":"${id}","p":"${projectId}","a":"${agentId}","e":${JSON.stringify(engine)},"t":${JSON.stringify(taskId)},` +
  `"k":"${kind}","o":"${new Date(at).toISOString()}","d":${payload}}`;
