import type { DatabaseSync } from "node:sqlite";

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

/** The events table inside the writer thread. */
export function openEventStore(db: DatabaseSync) {
  const statement = db.prepare(
    `INSERT INTO events (id, project_id, agent_id, engine, task_id, kind, occurred_at, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (project_id, occurred_at, id) DO NOTHING`,
  );
  return {
    /** Inserts events; returns for each whether it is new. Existing ones stay unchanged. */
    insert: (events: readonly EventWrite[]): boolean[] =>
      events.map(({ id, payload, task: { projectId, agentId, engine, taskId, kind, at } }) => {
        return statement.run(id, projectId, agentId, engine, taskId, kind, at * 1000, payload).changes === 1;
      }),
  };
}
