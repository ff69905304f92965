import type { DatabaseSync } from "node:sqlite";

/** The events table inside the writer thread. */
export function openEventStore(db: DatabaseSync) {
  const statement = db.prepare(
    `INSERT INTO events (id, project_id, agent_id, engine, task_id, kind, occurred_at, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (project_id, occurred_at, id) DO NOTHING`,
  );
  return {
    /**
     * Inserts an event; `at` is occurred_at in milliseconds. False when the row already exists; then nothing changes. Called for every
     * event, so it takes its values without an object around them.
     */
    insert(
      id: string,
      projectId: string,
      agentId: string,
      engine: string,
      taskId: string,
      kind: string,
      at: number,
      payload: string,
    ): boolean {
      return statement.run(id, projectId, agentId, engine, taskId, kind, at * 1000, payload).changes === 1;
    },
  };
}

export type EventStore = ReturnType<typeof openEventStore>;
