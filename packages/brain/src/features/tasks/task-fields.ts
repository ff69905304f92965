import { type Priority, parseJson, type TaskState } from "@svc/protocol";
import type { TaskRow } from "../../schema/tables/index.ts";

interface TaskField {
  readonly type: "uuid" | "text" | "json" | "integer" | "instant";
  /** Read only by the projection; no answer includes it. */
  readonly isInternal?: true;
  /** Only the frame size bounds its length. */
  readonly isLarge?: true;
}

/**
 * Every field of a task, in the order of its answers. The column lists of both databases, the codecs of stored rows and of thread
 * messages, and the public task are derived from this table.
 */
export const taskFields = {
  id: { type: "uuid" },
  project_id: { type: "uuid" },
  engine: { type: "text" },
  task_id: { type: "text" },
  name: { type: "text" },
  queue: { type: "text" },
  state: { type: "text" },
  priority: { type: "text" },
  args: { type: "json", isLarge: true },
  kwargs: { type: "json", isLarge: true },
  result: { type: "json", isLarge: true },
  exception: { type: "text", isLarge: true },
  traceback: { type: "text", isLarge: true },
  retry_count: { type: "integer" },
  attempt: { type: "integer" },
  max_attempts: { type: "integer" },
  eta: { type: "instant" },
  received_at: { type: "instant" },
  started_at: { type: "instant" },
  finished_at: { type: "instant" },
  runtime_ms: { type: "integer" },
  wait_ms: { type: "integer" },
  worker_name: { type: "text" },
  parent_task_id: { type: "text" },
  root_task_id: { type: "text" },
  tags: { type: "json" },
  release: { type: "text" },
  traceparent: { type: "text" },
  fingerprint: { type: "text" },
  last_failed_at: { type: "instant", isInternal: true },
  last_event_at: { type: "instant" },
  reported_by: { type: "uuid", isInternal: true },
  fold: { type: "text", isInternal: true },
} as const satisfies Record<Exclude<keyof TaskRow, Bookkeeping>, TaskField>;

/** Columns that only the stores write. */
type Bookkeeping = "row_version" | "created_at" | "updated_at";

export type TaskColumn = keyof typeof taskFields;

type Fields = typeof taskFields;
type ColumnsWith<Trait> = { [Column in TaskColumn]: Fields[Column] extends Trait ? Column : never }[TaskColumn];
type LargeColumn = ColumnsWith<{ isLarge: true }>;
type JsonColumn = ColumnsWith<{ type: "json" }>;

export const taskColumns = Object.keys(taskFields) as TaskColumn[];
/** All columns except those that identify the task of a row, which never change. */
export const mutableColumns = taskColumns.filter(
  (column) => !["id", "project_id", "engine", "task_id"].includes(column),
);
const columnsWhere = (holds: (field: TaskField) => boolean): TaskColumn[] =>
  taskColumns.filter((column) => holds(taskFields[column]));

export type PublicColumn = Exclude<keyof TaskRow, ColumnsWith<{ isInternal: true }> | "row_version">;
export type PublicTaskRow = Pick<TaskRow, PublicColumn>;

/** Columns that a task answer is built from. */
export const publicColumns: readonly PublicColumn[] = [
  ...(columnsWhere(({ isInternal }) => isInternal !== true) as Exclude<PublicColumn, Bookkeeping>[]),
  "created_at",
  "updated_at",
];

export const largeColumns = columnsWhere(({ isLarge }) => isLarge === true) as LargeColumn[];
const jsonColumns = columnsWhere(({ type }) => type === "json") as JsonColumn[];

/** What the dashboard hub sends of a changed task. This includes the exception, because its length is cut on ingest. */
type ChangedColumn = Exclude<PublicColumn, Exclude<LargeColumn, "exception">>;
export type ChangedTaskRow = Pick<PublicTaskRow, ChangedColumn>;
export const hubColumns = publicColumns.filter(
  (column): column is ChangedColumn => column === "exception" || !(largeColumns as PublicColumn[]).includes(column),
);

/** Retry lineage of one task: which task it retries and which one retried it, read from task_links when it is shown. */
export interface Lineage {
  readonly retry_of: string | null;
  readonly retried_as: string | null;
}

export const noLineage: Lineage = { retry_of: null, retried_as: null };

export type PublicTask = Omit<PublicTaskRow, JsonColumn | "state" | "priority"> &
  Lineage & {
    readonly state: TaskState;
    readonly priority: Priority;
    readonly args: unknown[];
    readonly kwargs: Record<string, unknown>;
    readonly result: unknown;
    readonly tags: string[];
  };

/** The public task fields of some columns of a row. JSON columns keep numbers that exceed the precision of a double. */
export function partOfTask(row: Partial<PublicTaskRow>, lineage: Lineage = noLineage): Partial<PublicTask> {
  const part: Record<string, unknown> = { ...row, ...lineage };
  for (const column of jsonColumns) {
    const text = row[column];
    if (typeof text === "string") part[column] = parseJson(text);
  }
  return part;
}

/** The public task of a row. */
export const publicTask = (row: PublicTaskRow, lineage?: Lineage): PublicTask => partOfTask(row, lineage) as PublicTask;

/** The changed task of a row, as the hub sends it. */
export const changedTask = (row: ChangedTaskRow, lineage?: Lineage) =>
  partOfTask(row, lineage) as Omit<PublicTask, Exclude<LargeColumn, "exception">>;
