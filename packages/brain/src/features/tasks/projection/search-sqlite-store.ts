import type { DatabaseSync } from "node:sqlite";

type Field = "name" | "queue" | "worker";

/** Terms cached as stored; a statement runs only for a term that is not cached. */
const maxRemembered = 20_000;

/**
 * The dictionary of names, queues and workers for substring search on SQLite, inside the writer thread. A rollback can undo cached terms;
 * all terms cached since then are younger than the newest stored one, so checking that one at the start of a job is enough. The epoch shows
 * whether unused terms were deleted.
 */
export function openTermStore(db: DatabaseSync) {
  const insert = db.prepare(
    "INSERT INTO task_terms (project_id, field, value, folded) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const find = db.prepare("SELECT 1 FROM task_terms WHERE project_id = ? AND field = ? AND value = ?");
  const readEpoch = db.prepare("SELECT terms_epoch FROM task_search_mark");
  const remembered = new Map<string, Set<string>>();
  let size = 0;
  let epoch = 0;
  let newest: readonly [string, Field, string] | null = null;

  return {
    /** Call it first in every job. */
    begin(): void {
      const { terms_epoch: present } = readEpoch.get() as { terms_epoch: number };
      const isUndone = newest !== null && find.get(...newest) === undefined;
      if (!isUndone && present === epoch) return;
      epoch = present;
      remembered.clear();
      size = 0;
      newest = null;
    },
    add(projectId: string, field: Field, value: string): void {
      const scope = `${projectId}${field}`;
      let values = remembered.get(scope);
      if (values?.has(value)) return;
      if (size >= maxRemembered) {
        remembered.clear();
        size = 0;
        values = undefined;
      }
      if (insert.run(projectId, field, value, value.toLowerCase()).changes === 1) newest = [projectId, field, value];
      if (values === undefined) {
        values = new Set();
        remembered.set(scope, values);
      }
      values.add(value);
      size += 1;
    },
  };
}

/** Rows indexed per step: tens of milliseconds of the writer, so that a batch of events never waits long. */
export const indexedRows = 8000;

/**
 * The trigram index of task ids inside the writer thread: it holds rows up to the mark; a search reads later ones one by one. Returns a
 * function that indexes the next rows and returns how many there were.
 */
export function indexTaskIdsJob(db: DatabaseSync): () => number {
  const readMark = db.prepare("SELECT serial FROM task_search_mark");
  const readNext = db.prepare("SELECT serial, task_id FROM tasks WHERE serial > ? ORDER BY serial LIMIT ?");
  readNext.setReturnArrays(true);
  const insert = db.prepare("INSERT INTO task_id_search (rowid, task_id) VALUES (?, ?)");
  const moveMark = db.prepare("UPDATE task_search_mark SET serial = ?");
  return () => {
    const mark = (readMark.get() as { serial: number }).serial;
    const rows = readNext.all(mark, indexedRows) as unknown as [number, string][];
    for (const [serial, taskId] of rows) insert.run(serial, taskId.toLowerCase());
    const last = rows.at(-1);
    if (last !== undefined) moveMark.run(last[0]);
    return rows.length;
  };
}
