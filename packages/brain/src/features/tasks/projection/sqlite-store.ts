import type { DatabaseSync, StatementSync } from "node:sqlite";
import { mutableColumns, type TaskColumn, taskColumns } from "../task-fields.ts";
import type { FoldedTask, TaskChange } from "./fold.ts";
import type { TaskLink } from "./link-store.ts";
import { builderOf, differenceOf, instantsTimes, valuesOf, viewOf } from "./row-code.ts";
import { openTermStore } from "./search-sqlite-store.ts";

/** A task row in SQLite's form, which is also sent to the writer thread: values in the order of `taskColumns`, instants in microseconds. */
export type StoredTask = (string | number | null)[];

const storedValues = (columns: readonly TaskColumn[]) =>
  valuesOf<FoldedTask, StoredTask[number]>(columns, instantsTimes("* 1000"));
export const storedTask = storedValues(taskColumns);
const foldedTask = builderOf<FoldedTask, StoredTask[number]>(taskColumns, instantsTimes("/ 1000"));
/** The same row as a view. */
export const taskView = viewOf<Readonly<FoldedTask>, StoredTask[number]>(taskColumns, instantsTimes("/ 1000"));

const bookkeeping = ["row_version", "created_at", "updated_at"] as const;
const preparedUpdates = 128;
const differenceOfRows = differenceOf<FoldedTask>(mutableColumns);

interface Update {
  readonly statement: StatementSync;
  valuesOf(row: FoldedTask): StoredTask;
}

/** Tasks and the dictionary that searches use, inside the writer thread. */
export function openTaskStore(db: DatabaseSync) {
  const terms = openTermStore(db);
  const names = [...taskColumns, ...bookkeeping];
  const insert = db.prepare(
    `INSERT INTO tasks (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})
     ON CONFLICT (project_id, engine, task_id) DO NOTHING`,
  );
  const find = db.prepare(
    `SELECT ${taskColumns.join(", ")} FROM tasks WHERE project_id = ? AND engine = ? AND task_id = ?`,
  );
  find.setReturnArrays(true);
  const updates = new Map<number, Update>();
  /** Whether the last task had a row. Consecutive tasks are alike, and a failed insert costs more than a failed search. */
  let isLikelyThere = false;

  /** An update that names only the changed columns: SQLite rewrites the index entries of every column that an update names. */
  function updateOf(difference: number): Update {
    let update = updates.get(difference);
    if (update === undefined) {
      const changed = mutableColumns.filter((_, index) => (difference & (2 ** index)) !== 0);
      const sets = [...changed.map((column) => `${column} = ?`), "row_version = row_version + 1", "updated_at = ?"];
      const statement = db.prepare(`UPDATE tasks SET ${sets.join(", ")} WHERE id = ?`);
      update = { statement, valuesOf: storedValues(changed) };
      if (updates.size >= preparedUpdates) updates.delete(updates.keys().next().value as number);
      updates.set(difference, update);
    }
    return update;
  }

  function change(before: FoldedTask, after: FoldedTask, nowMicros: number): void {
    const difference = differenceOfRows(before, after);
    if (difference === 0) return;
    const update = updateOf(difference);
    update.statement.run(...update.valuesOf(after), nowMicros, before.id);
  }

  function noteTerms(before: FoldedTask | null, { project_id, name, queue, worker_name }: FoldedTask): void {
    if (before?.name !== name) terms.add(project_id, "name", name);
    if (queue !== null && before?.queue !== queue) terms.add(project_id, "queue", queue);
    if (worker_name !== null && before?.worker_name !== worker_name) terms.add(project_id, "worker", worker_name);
  }

  return {
    /** Call it first in every job. */
    begin: terms.begin,
    /** Inserts a row, given in both forms, unless its task has one, which it then returns. */
    insertOrFind(
      stored: StoredTask,
      { project_id, engine, task_id }: FoldedTask,
      nowMicros: number,
    ): FoldedTask | null {
      if (isLikelyThere) {
        const present = find.get(project_id, engine, task_id);
        if (present !== undefined) return foldedTask(present as unknown as StoredTask);
      }
      isLikelyThere = insert.run(...stored, 1, nowMicros, nowMicros).changes !== 1;
      return isLikelyThere ? foldedTask(find.get(project_id, engine, task_id) as unknown as StoredTask) : null;
    },
    /** Writes the changes of existing rows, and adds the terms by which searches find all of them. */
    write(changes: readonly TaskChange[], nowMicros: number): void {
      for (const { before, after } of changes) {
        if (before !== null) change(before, after, nowMicros);
        noteTerms(before, after);
      }
    },
  };
}

/** Retry links inside the writer thread: the smallest (at, old id) of a new id is kept. */
export function openLinkStore(db: DatabaseSync) {
  const upsert = db.prepare(
    `INSERT INTO task_links (project_id, engine, new_id, old_id, linked_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (project_id, engine, new_id) DO UPDATE SET old_id = excluded.old_id, linked_at = excluded.linked_at
     WHERE (excluded.linked_at, excluded.old_id) < (task_links.linked_at, task_links.old_id)`,
  );
  return {
    join(links: readonly TaskLink[]): void {
      for (const { projectId, engine, newId, oldId, at } of links)
        upsert.run(projectId, engine, newId, oldId, at * 1000);
    },
  };
}
