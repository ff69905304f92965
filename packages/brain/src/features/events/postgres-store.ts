import type { PoolClient } from "pg";
import {
  column,
  jsonb,
  repeatedUuid,
  text,
  timestamptz,
  uuid,
} from "../../platform/database/dialects/postgres/binary-values.ts";
import { copyIn } from "../../platform/database/dialects/postgres/copy-in.ts";
import type { EventWrite } from "./sqlite-store.ts";

const columns = [
  column("id", uuid, ({ id }: EventWrite) => id),
  column("project_id", repeatedUuid(), ({ task }: EventWrite) => task.projectId),
  column("agent_id", repeatedUuid(), ({ task }: EventWrite) => task.agentId),
  column("engine", text, ({ task }: EventWrite) => task.engine),
  column("task_id", text, ({ task }: EventWrite) => task.taskId),
  column("kind", text, ({ task }: EventWrite) => task.kind),
  column("occurred_at", timestamptz, ({ task }: EventWrite) => task.at),
  column("payload", jsonb, ({ payload }: EventWrite) => payload),
];

/** Copies new events, given in key order. Fails with `uniqueViolation` when any of them exists. */
export async function copyEvents(client: PoolClient, events: readonly EventWrite[]): Promise<boolean[]> {
  await copyIn(client, "events", columns, events);
  return events.map(() => true);
}

// The keys are built only when some rows existed and some did not. An entirely new or repeated batch does not need them, and they cost a
// third of the insert.
const insertText = `
  WITH inserted AS (
    INSERT INTO events (${columns.map(({ name }) => name).join(", ")})
    SELECT * FROM unnest(${columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(", ")})
    ON CONFLICT (project_id, occurred_at, id) DO NOTHING
    RETURNING id, project_id, occurred_at
  ), counted AS (
    SELECT count(*)::int AS count FROM inserted
  )
  SELECT count,
    CASE WHEN count BETWEEN 1 AND $${columns.length + 1}::int - 1 THEN (
      SELECT array_agg(project_id || ' ' || (extract(epoch FROM occurred_at) * 1000)::bigint || ' ' || id) FROM inserted
    ) END AS keys
  FROM counted`;

const keyOf = ({ id, task }: EventWrite): string => `${task.projectId} ${task.at} ${id}`;

/** Inserts distinct events, given in key order; returns for each whether it is new. */
export async function insertEvents(client: PoolClient, events: readonly EventWrite[]): Promise<boolean[]> {
  const { rows } = await client.query<{ count: number; keys: string[] | null }>({
    name: "ingest-insert-events",
    text: insertText,
    values: [...columns.map((column) => column.arrayOf(events)), events.length],
  });
  const { count, keys } = rows[0] as { count: number; keys: string[] | null };
  if (count === events.length) return events.map(() => true);
  const inserted = new Set(keys ?? []);
  return events.map((event) => inserted.has(keyOf(event)));
}
