import { randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { stateKey, type WorkerStateChange } from "./state-change.ts";

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
    /** Applies the change unless a greater one was; gives the row's id when it changed. */
    apply(change: WorkerStateChange, nowMicros: number): string | null {
      const { projectId, engine, name, state, at } = change;
      const key = stateKey(change);
      const row = upsert.get(randomUUID(), projectId, engine, name, state, key, at * 1000, nowMicros, nowMicros);
      return row === undefined ? null : (row.id as string);
    },
  };
}

export type WorkerStateStore = ReturnType<typeof openWorkerStateStore>;
