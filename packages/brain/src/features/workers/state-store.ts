import { randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { PoolClient } from "pg";
import { stateKey, type WorkerStateChange } from "./state-change.ts";

const upsertText = `
  INSERT INTO workers (id, project_id, engine, name, queues, state, state_key, state_at, active_tasks, metadata, created_at, updated_at)
  SELECT gen_random_uuid(), p, e, n, '[]', s, k, a, 0, '{}', $7::timestamptz, $7::timestamptz
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[]) AS r (p, e, n, s, k, a)
  ON CONFLICT (project_id, engine, name) DO UPDATE SET
    state = excluded.state, state_key = excluded.state_key, state_at = excluded.state_at, updated_at = excluded.updated_at
  WHERE workers.state_key IS NULL OR workers.state_key < excluded.state_key
  RETURNING project_id, id`;

/** On PostgreSQL: applies changes, at most one per worker and in lock order, unless a higher one was applied. Returns the changed rows. */
export async function applyWorkerStates(
  client: PoolClient,
  changes: readonly WorkerStateChange[],
  now: Date,
): Promise<{ projectId: string; id: string }[]> {
  if (changes.length === 0) return [];
  const { rows } = await client.query<{ project_id: string; id: string }>({
    name: "ingest-worker-states",
    text: upsertText,
    values: [
      changes.map(({ projectId }) => projectId),
      changes.map(({ engine }) => engine),
      changes.map(({ name }) => name),
      changes.map(({ state }) => state),
      changes.map(stateKey),
      changes.map(({ at }) => new Date(at).toISOString()),
      now,
    ],
  });
  return rows.map(({ project_id, id }) => ({ projectId: project_id, id }));
}

/** States of engine workers inside the writer thread. */
export function openWorkerStateStore(db: DatabaseSync) {
  const upsert = db.prepare(
    `INSERT INTO workers (id, project_id, engine, name, queues, state, state_key, state_at, active_tasks, metadata, created_at, updated_at)
     VALUES (?, ?, ?, ?, '[]', ?, ?, ?, 0, '{}', ?, ?)
     ON CONFLICT (project_id, engine, name) DO UPDATE SET
       state = excluded.state, state_key = excluded.state_key, state_at = excluded.state_at, updated_at = excluded.updated_at
     WHERE workers.state_key IS NULL OR workers.state_key < excluded.state_key
     RETURNING id`,
  );
  return {
    /** Applies changes, at most one per worker, unless a higher one was applied. Returns the changed rows. */
    apply(changes: readonly WorkerStateChange[], nowMicros: number): { projectId: string; id: string }[] {
      return changes.flatMap((change) => {
        const { projectId, engine, name, state, at } = change;
        const key = stateKey(change);
        const row = upsert.get(randomUUID(), projectId, engine, name, state, key, at * 1000, nowMicros, nowMicros);
        return row === undefined ? [] : [{ projectId, id: row.id as string }];
      });
    },
  };
}
