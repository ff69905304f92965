import type { DatabaseSync } from "node:sqlite";

export interface TaskLink {
  readonly projectId: string;
  readonly engine: string;
  readonly newId: string;
  readonly oldId: string;
  /** Milliseconds. */
  readonly at: number;
}

/** Retry links inside the writer thread: of one new id the smallest (at, old id) stands (spec part 3, section 4.3). */
export function openLinkStore(db: DatabaseSync) {
  const upsert = db.prepare(
    `INSERT INTO task_links (project_id, engine, new_id, old_id, linked_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (project_id, engine, new_id) DO UPDATE SET old_id = excluded.old_id, linked_at = excluded.linked_at
     WHERE (excluded.linked_at, excluded.old_id) < (task_links.linked_at, task_links.old_id)`,
  );
  return {
    join({ projectId, engine, newId, oldId, at }: TaskLink): void {
      upsert.run(projectId, engine, newId, oldId, at * 1000);
    },
  };
}

export type LinkStore = ReturnType<typeof openLinkStore>;
