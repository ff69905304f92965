import type { DatabaseSync } from "node:sqlite";

export interface StoredEvent {
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

/** The events table inside the writer thread. */
export function openEventStore(db: DatabaseSync) {
  const insert = db.prepare(
    `INSERT INTO events (id, project_id, agent_id, engine, task_id, kind, occurred_at, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (project_id, occurred_at, id) DO NOTHING`,
  );
  return {
    /** False when the row already exists; then nothing changes. */
    insert: ({ id, projectId, agentId, engine, taskId, kind, at, payload }: StoredEvent): boolean =>
      insert.run(id, projectId, agentId, engine, taskId, kind, at * 1000, payload).changes === 1,
  };
}

export type EventStore = ReturnType<typeof openEventStore>;
