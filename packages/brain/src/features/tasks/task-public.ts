import { type Priority, parseJson, type TaskState } from "@svc/protocol";
import type { TaskRow } from "../../schema/tables/index.ts";

/** Columns that a task answer is made of; the fold's own columns are left where they are. */
export const publicColumns = [
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
  "created_at",
  "updated_at",
] as const satisfies readonly (keyof TaskRow)[];

export type PublicColumn = (typeof publicColumns)[number];
export type PublicTaskRow = Pick<TaskRow, PublicColumn>;

/** Those whose length only the size of a frame bounds. */
export const largeColumns = [
  "args",
  "kwargs",
  "result",
  "exception",
  "traceback",
] as const satisfies readonly (keyof PublicTaskRow)[];

/** What the dashboard hub leaves out of a changed task. The exception stays: it is cut when it comes in. */
const unsentColumns = ["args", "kwargs", "result", "traceback"] as const satisfies readonly (keyof PublicTaskRow)[];
type ChangedColumn = Exclude<keyof PublicTaskRow, (typeof unsentColumns)[number]>;

export const hubColumns = publicColumns.filter(
  (column): column is ChangedColumn => !(unsentColumns as readonly string[]).includes(column),
);

export type ChangedTaskRow = Pick<PublicTaskRow, ChangedColumn>;

/** Retry lineage of one task (spec part 3, section 4.3), read from task_links when it is shown. */
export interface Lineage {
  readonly retry_of: string | null;
  readonly retried_as: string | null;
}

export const noLineage: Lineage = { retry_of: null, retried_as: null };

/** The public task of a row. JSON columns keep numbers that no double holds. */
export function publicTask(row: PublicTaskRow, lineage: Lineage = noLineage) {
  return {
    ...row,
    state: row.state as TaskState,
    priority: row.priority as Priority,
    args: parseJson(row.args) as unknown[],
    kwargs: parseJson(row.kwargs) as Record<string, unknown>,
    result: row.result === null ? null : parseJson(row.result),
    tags: parseJson(row.tags) as string[],
    ...lineage,
  };
}

const jsonColumns = ["args", "kwargs", "result", "tags"] as const satisfies readonly PublicColumn[];

/** What some columns of a row tell of its public task. */
export function partOfTask(row: Partial<PublicTaskRow>, lineage: Lineage = noLineage): Partial<PublicTask> {
  const part: Record<string, unknown> = { ...row, ...lineage };
  for (const column of jsonColumns) {
    const text = row[column];
    if (typeof text === "string") part[column] = parseJson(text);
  }
  return part;
}

/** The changed task of a row, as the hub sends it. */
export function changedTask(row: ChangedTaskRow, lineage: Lineage = noLineage) {
  return { ...row, tags: parseJson(row.tags) as string[], ...lineage };
}

export type PublicTask = ReturnType<typeof publicTask>;
