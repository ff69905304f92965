import type { PoolClient } from "pg";
import {
  bigintArray,
  jsonbArray,
  textArray,
  timestamptzArray,
  uuidArray,
} from "../../platform/database/dialects/postgres/binary-arrays.ts";
import type { FoldedTask } from "./fold.ts";
import { decodeFold, encodeFold } from "./fold-keys.ts";
import { searchTextOf } from "./search-text.ts";

/** A present row, with the version that a write must still find. */
export interface PresentTask {
  readonly row: FoldedTask;
  readonly version: number;
}

/** A row to write: `version` is that of the row it was merged with, 0 when there was none. */
export interface TaskWrite {
  readonly id: string;
  readonly row: FoldedTask;
  readonly version: number;
  /** The search text is written only when it changed. */
  readonly isTextNew: boolean;
}

const epochMs = (column: string) => `(extract(epoch FROM ${column}) * 1000)::bigint`;

// Plain columns are read as they are; the order is that of `presentTask`.
const readColumns = [
  "id",
  "row_version",
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
  epochMs("eta"),
  epochMs("received_at"),
  epochMs("started_at"),
  epochMs("finished_at"),
  "runtime_ms",
  "wait_ms",
  "worker_name",
  "parent_task_id",
  "root_task_id",
  "tags",
  "release",
  "traceparent",
  "fingerprint",
  epochMs("last_failed_at"),
  epochMs("last_event_at"),
  "reported_by",
  "fold",
].join(", ");

const readText = `SELECT ${readColumns} FROM tasks WHERE id = ANY($1::uuid[])`;
// Locked in the order that every writer of these tables keeps (spec part 3, section 2.4).
const readLockedText = `${readText} ORDER BY project_id, engine, task_id FOR UPDATE`;

/** Present rows by id. `isLocking` holds them until the end of the transaction. */
export async function readTasks(
  client: PoolClient,
  ids: readonly string[],
  isLocking: boolean,
): Promise<Map<string, PresentTask>> {
  const { rows } = await client.query<unknown[]>({
    name: isLocking ? "ingest-lock-tasks" : "ingest-read-tasks",
    text: isLocking ? readLockedText : readText,
    values: [ids],
    rowMode: "array",
  });
  return new Map(rows.map((row) => [row[0] as string, presentTask(row as never[])]));
}

function presentTask(value: never[]): PresentTask {
  const row: FoldedTask = {
    project_id: value[2]!,
    engine: value[3]!,
    task_id: value[4]!,
    name: value[5]!,
    queue: value[6]!,
    state: value[7]!,
    priority: value[8]!,
    args: value[9]!,
    kwargs: value[10]!,
    result: value[11]!,
    exception: value[12]!,
    traceback: value[13]!,
    retry_count: value[14]!,
    attempt: value[15]!,
    max_attempts: value[16]!,
    eta: value[17]!,
    received_at: value[18]!,
    started_at: value[19]!,
    finished_at: value[20]!,
    runtime_ms: value[21]!,
    wait_ms: value[22]!,
    worker_name: value[23]!,
    parent_task_id: value[24]!,
    root_task_id: value[25]!,
    tags: value[26]!,
    release: value[27]!,
    traceparent: value[28]!,
    fingerprint: value[29]!,
    last_failed_at: value[30]!,
    last_event_at: value[31]!,
    reported_by: value[32]!,
    keys: decodeFold(value[33]!),
  };
  return { row, version: value[1]! };
}

type Column = readonly [name: string, type: string, arrayOf: (writes: readonly TaskWrite[]) => Buffer];
type Values<Value> = (row: FoldedTask) => Value;

const uuid = (name: string, of: Values<string>): Column => [
  name,
  "uuid",
  (writes) => uuidArray(writes.map(({ row }) => of(row))),
];
const text = (name: string, of: Values<string | null>): Column => [
  name,
  "text",
  (writes) => textArray(writes.map(({ row }) => of(row))),
];
const json = (name: string, of: Values<string | null>): Column => [
  name,
  "jsonb",
  (writes) => jsonbArray(writes.map(({ row }) => of(row))),
];
const int = (name: string, of: Values<number | null>): Column => [
  name,
  "bigint",
  (writes) => bigintArray(writes.map(({ row }) => of(row))),
];
const instant = (name: string, of: Values<number | null>): Column => [
  name,
  "timestamptz",
  (writes) => timestamptzArray(writes.map(({ row }) => of(row))),
];

const identity: readonly Column[] = [
  ["id", "uuid", (writes) => uuidArray(writes.map(({ id }) => id))],
  uuid("project_id", (row) => row.project_id),
  text("engine", (row) => row.engine),
  text("task_id", (row) => row.task_id),
];
const content: readonly Column[] = [
  text("name", (row) => row.name),
  text("queue", (row) => row.queue),
  text("state", (row) => row.state),
  text("priority", (row) => row.priority),
  json("args", (row) => row.args),
  json("kwargs", (row) => row.kwargs),
  json("result", (row) => row.result),
  text("exception", (row) => row.exception),
  text("traceback", (row) => row.traceback),
  int("retry_count", (row) => row.retry_count),
  int("attempt", (row) => row.attempt),
  int("max_attempts", (row) => row.max_attempts),
  instant("eta", (row) => row.eta),
  instant("received_at", (row) => row.received_at),
  instant("started_at", (row) => row.started_at),
  instant("finished_at", (row) => row.finished_at),
  int("runtime_ms", (row) => row.runtime_ms),
  int("wait_ms", (row) => row.wait_ms),
  text("worker_name", (row) => row.worker_name),
  text("parent_task_id", (row) => row.parent_task_id),
  text("root_task_id", (row) => row.root_task_id),
  json("tags", (row) => row.tags),
  text("release", (row) => row.release),
  text("traceparent", (row) => row.traceparent),
  text("fingerprint", (row) => row.fingerprint),
  instant("last_failed_at", (row) => row.last_failed_at),
  instant("last_event_at", (row) => row.last_event_at),
  uuid("reported_by", (row) => row.reported_by),
  text("fold", (row) => encodeFold(row.keys)),
  ["row_version", "bigint", (writes) => bigintArray(writes.map(({ version }) => version + 1))],
];
const columns = [...identity, ...content];
const names = columns.map(([name]) => name).join(", ");
const place = (index: number): string => `$${columns.length + index}`;

// The search row is written beside the task row, and only by the writer that won the task row. A row that was read and is gone since
// (deleted meanwhile) would be inserted again, whole: such a write counts as lost, like one that meets another version.
const writeText = `
  WITH given AS MATERIALIZED (
    SELECT * FROM unnest(${columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(", ")}, ${place(1)}::text[])
      AS r (${names}, search_text)
  ), written AS (
    INSERT INTO tasks (${names}, created_at, updated_at)
    SELECT ${names}, ${place(2)}::timestamptz, ${place(2)}::timestamptz FROM given
    ON CONFLICT (id) DO UPDATE SET
      ${content.map(([name]) => `${name} = excluded.${name}`).join(", ")}, updated_at = excluded.updated_at
    WHERE tasks.row_version = excluded.row_version - 1
    RETURNING id, row_version = 1 AS is_new, xmax = 0 AS is_inserted
  ), searchable AS (
    INSERT INTO task_search (id, project_id, received_at, search_text)
    SELECT given.id, given.project_id, given.received_at, given.search_text
    FROM given JOIN written USING (id) WHERE given.search_text IS NOT NULL
    ON CONFLICT (id) DO UPDATE SET search_text = excluded.search_text, received_at = excluded.received_at
  )
  SELECT CASE WHEN count(*) FILTER (WHERE is_new = is_inserted) = ${place(3)}::int THEN 1
    ELSE 1 / (count(*) - count(*)) END
  FROM written`;

/** SQLSTATE of a write that came too late: division by zero, which the statement brings about so that the commit behind it fails. */
export const lostRaceCode = "22012";

/**
 * Writes rows, given in lock order, each on condition that the row in the table still has the version it was merged with. Fails with
 * `lostRaceCode` when another transaction was faster for any of them; all must then be undone, read and merged again.
 */
export async function writeTasks(client: PoolClient, writes: readonly TaskWrite[], now: Date): Promise<void> {
  if (writes.length === 0) return;
  await client.query({
    name: "ingest-write-tasks",
    text: writeText,
    values: [
      ...columns.map(([, , arrayOf]) => arrayOf(writes)),
      textArray(writes.map(({ row, isTextNew }) => (isTextNew ? searchTextOf(row) : null))),
      now,
      writes.length,
    ],
  });
}
