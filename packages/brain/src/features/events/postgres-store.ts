import type { PoolClient } from "pg";
import {
  arrayOf,
  copyColumn,
  jsonb,
  repeatedUuid,
  text,
  timestamptz,
  uuid,
} from "../../platform/database/dialects/postgres/binary-values.ts";
import { copyIn } from "../../platform/database/dialects/postgres/copy-in.ts";

/** An event as ingest writes it. */
export interface EventWrite {
  readonly id: string;
  /** JSON object as text, redacted. */
  readonly payload: string;
  readonly task: {
    readonly projectId: string;
    readonly agentId: string;
    readonly engine: string;
    readonly taskId: string;
    readonly kind: string;
    /** occurred_at in milliseconds. */
    readonly at: number;
  };
}

const copied = [
  copyColumn("id", uuid, ({ id }: EventWrite) => id),
  copyColumn("project_id", repeatedUuid(), ({ task }: EventWrite) => task.projectId),
  copyColumn("agent_id", repeatedUuid(), ({ task }: EventWrite) => task.agentId),
  copyColumn("engine", text, ({ task }: EventWrite) => task.engine),
  copyColumn("task_id", text, ({ task }: EventWrite) => task.taskId),
  copyColumn("kind", text, ({ task }: EventWrite) => task.kind),
  copyColumn("occurred_at", timestamptz, ({ task }: EventWrite) => task.at),
  copyColumn("payload", jsonb, ({ payload }: EventWrite) => payload),
];

/** Copies events, given in key order: then all of them are new. Fails with `uniqueViolation` when one of them is known. */
export async function copyEvents(client: PoolClient, events: readonly EventWrite[]): Promise<boolean[]> {
  await copyIn(client, "events", copied, events);
  return events.map(() => true);
}

// The keys are put together only when some rows existed and some did not: a whole new batch and a whole repeated one need none, and
// they cost a third of the insert.
const insertText = `
  WITH inserted AS (
    INSERT INTO events (id, project_id, agent_id, engine, task_id, kind, occurred_at, payload)
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::jsonb[])
    ON CONFLICT (project_id, occurred_at, id) DO NOTHING
    RETURNING id, project_id, occurred_at
  ), counted AS (
    SELECT count(*)::int AS count FROM inserted
  )
  SELECT count,
    CASE WHEN count BETWEEN 1 AND $9::int - 1 THEN (
      SELECT array_agg(project_id || ' ' || (extract(epoch FROM occurred_at) * 1000)::bigint || ' ' || id) FROM inserted
    ) END AS keys
  FROM counted`;

const keyOf = ({ id, task }: EventWrite): string => `${task.projectId} ${task.at} ${id}`;

/** Inserts events, given in key order and without repetition, and tells for each whether it is new. */
export async function insertEvents(client: PoolClient, events: readonly EventWrite[]): Promise<boolean[]> {
  const { rows } = await client.query<{ count: number; keys: string[] | null }>({
    name: "ingest-insert-events",
    text: insertText,
    values: [
      arrayOf(
        uuid,
        events.map(({ id }) => id),
      ),
      arrayOf(
        repeatedUuid(),
        events.map(({ task }) => task.projectId),
      ),
      arrayOf(
        repeatedUuid(),
        events.map(({ task }) => task.agentId),
      ),
      arrayOf(
        text,
        events.map(({ task }) => task.engine),
      ),
      arrayOf(
        text,
        events.map(({ task }) => task.taskId),
      ),
      arrayOf(
        text,
        events.map(({ task }) => task.kind),
      ),
      arrayOf(
        timestamptz,
        events.map(({ task }) => task.at),
      ),
      arrayOf(
        jsonb,
        events.map(({ payload }) => payload),
      ),
      events.length,
    ],
  });
  const { count, keys } = rows[0] as { count: number; keys: string[] | null };
  if (count === events.length) return events.map(() => true);
  const inserted = new Set(keys ?? []);
  return events.map((event) => inserted.has(keyOf(event)));
}
