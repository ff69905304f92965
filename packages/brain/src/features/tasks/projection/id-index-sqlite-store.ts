import type { DatabaseSync } from "node:sqlite";

/** The trigram index of task ids inside the writer thread: rows up to the mark are in it, later ones are read one by one by a search. */
export function openIdIndex(db: DatabaseSync) {
  const readMark = db.prepare("SELECT serial FROM task_search_mark");
  const readNext = db.prepare("SELECT serial, task_id FROM tasks WHERE serial > ? ORDER BY serial LIMIT ?");
  readNext.setReturnArrays(true);
  const insert = db.prepare("INSERT INTO task_id_search (rowid, task_id) VALUES (?, ?)");
  const moveMark = db.prepare("UPDATE task_search_mark SET serial = ?");
  return {
    /** Indexes at most `limit` further rows and tells how many there were. */
    advance(limit: number): number {
      const mark = (readMark.get() as { serial: number }).serial;
      const rows = readNext.all(mark, limit) as unknown as [number, string][];
      for (const [serial, taskId] of rows) insert.run(serial, taskId.toLowerCase());
      const last = rows.at(-1);
      if (last !== undefined) moveMark.run(last[0]);
      return rows.length;
    },
  };
}
