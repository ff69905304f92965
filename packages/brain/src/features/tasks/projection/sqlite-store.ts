import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type FoldedTask, mergeRows } from "./fold.ts";
import { decodeFold, encodeFold } from "./fold-keys.ts";
import type { TaskLink } from "./link-store.ts";

// Columns in the order of a stored row, which is an array so that it is cheap to hand to the writer thread and to bind.
const columns = [
  "id",
  "project_id",
  "engine",
  "task_id",
  "name",
  "queue",
  "state",
  "priority",
  "args",
  "kwargs",
  "result",
  "exception",
  "traceback",
  "retry_count",
  "attempt",
  "max_attempts",
  "eta",
  "received_at",
  "started_at",
  "finished_at",
  "runtime_ms",
  "wait_ms",
  "worker_name",
  "parent_task_id",
  "root_task_id",
  "tags",
  "release",
  "traceparent",
  "fingerprint",
  "last_failed_at",
  "last_event_at",
  "reported_by",
  "fold",
] as const;
const keyColumns = 4;
const bookkeeping = ["row_version", "created_at", "updated_at"] as const;

/** A task row as SQLite holds it: values in the order of `columns`, instants in microseconds. */
export type StoredTask = (string | number | null)[];

const at = (ms: number | null): number | null => (ms === null ? null : ms * 1000);
const ms = (micros: unknown): number | null => (micros === null ? null : (micros as number) / 1000);

export const storedTask = (id: string, row: FoldedTask): StoredTask => [
  id,
  row.project_id,
  row.engine,
  row.task_id,
  row.name,
  row.queue,
  row.state,
  row.priority,
  row.args,
  row.kwargs,
  row.result,
  row.exception,
  row.traceback,
  row.retry_count,
  row.attempt,
  row.max_attempts,
  at(row.eta),
  row.received_at * 1000,
  at(row.started_at),
  at(row.finished_at),
  row.runtime_ms,
  row.wait_ms,
  row.worker_name,
  row.parent_task_id,
  row.root_task_id,
  row.tags,
  row.release,
  row.traceparent,
  row.fingerprint,
  at(row.last_failed_at),
  row.last_event_at * 1000,
  row.reported_by,
  encodeFold(row.keys),
];

export function foldedTask(stored: readonly unknown[]): FoldedTask {
  const value = stored as never[];
  return {
    project_id: value[1]!,
    engine: value[2]!,
    task_id: value[3]!,
    name: value[4]!,
    queue: value[5]!,
    state: value[6]!,
    priority: value[7]!,
    args: value[8]!,
    kwargs: value[9]!,
    result: value[10]!,
    exception: value[11]!,
    traceback: value[12]!,
    retry_count: value[13]!,
    attempt: value[14]!,
    max_attempts: value[15]!,
    eta: ms(value[16]),
    received_at: ms(value[17]) as number,
    started_at: ms(value[18]),
    finished_at: ms(value[19]),
    runtime_ms: value[20]!,
    wait_ms: value[21]!,
    worker_name: value[22]!,
    parent_task_id: value[23]!,
    root_task_id: value[24]!,
    tags: value[25]!,
    release: value[26]!,
    traceparent: value[27]!,
    fingerprint: value[28]!,
    last_failed_at: ms(value[29]),
    last_event_at: ms(value[30]) as number,
    reported_by: value[31]!,
    keys: decodeFold(value[32]!),
  };
}

/** The parts of a stored row that ingest looks at without decoding it. */
export const storedName = (stored: StoredTask): string => stored[4] as string;
export const storedQueue = (stored: StoredTask): string | null => stored[5] as string | null;
export const storedState = (stored: StoredTask): string => stored[6] as string;
export const storedWorker = (stored: StoredTask): string | null => stored[22] as string | null;

export interface MergedTask {
  /** Before the merge; null when there was no row. */
  readonly before: StoredTask | null;
  readonly after: StoredTask;
}

const preparedUpdates = 128;

/** The tasks table inside the writer thread. */
export function openTaskStore(db: DatabaseSync) {
  const names = [...columns, ...bookkeeping];
  const insert = db.prepare(
    `INSERT INTO tasks (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})
     ON CONFLICT (project_id, engine, task_id) DO NOTHING`,
  );
  const find = db.prepare(
    `SELECT ${columns.join(", ")} FROM tasks WHERE project_id = ? AND engine = ? AND task_id = ?`,
  );
  find.setReturnArrays(true);
  const updates = new Map<string, StatementSync>();

  /** An update that names only what changed: SQLite rewrites the index entries of every column that an update names. */
  function updateOf(changed: readonly number[]): StatementSync {
    const key = changed.join(" ");
    let update = updates.get(key);
    if (update === undefined) {
      const sets = changed.map((index) => `${columns[index]} = ?`);
      update = db.prepare(
        `UPDATE tasks SET ${[...sets, "row_version = row_version + 1", "updated_at = ?"].join(", ")} WHERE id = ?`,
      );
      if (updates.size >= preparedUpdates) updates.delete(updates.keys().next().value as string);
      updates.set(key, update);
    }
    return update;
  }

  return {
    /** Joins one row into the table and tells what was there before and what is there now. */
    merge(task: StoredTask, nowMicros: number): MergedTask {
      if (insert.run(...task, 1, nowMicros, nowMicros).changes === 1) return { before: null, after: task };
      const before = find.get(task[1]!, task[2]!, task[3]!) as unknown as StoredTask;
      const after = storedTask(before[0] as string, mergeRows(foldedTask(before), foldedTask(task)));
      const changed: number[] = [];
      for (let index = keyColumns; index < after.length; index += 1) {
        if (after[index] !== before[index]) changed.push(index);
      }
      if (changed.length > 0) updateOf(changed).run(...changed.map((index) => after[index]!), nowMicros, before[0]!);
      return { before, after };
    },
  };
}

export type TaskStore = ReturnType<typeof openTaskStore>;

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
