import type { PoolClient } from "pg";
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

const recordType = `id uuid, project_id uuid, engine text, task_id text, name text, queue text, state text, priority text,
  args jsonb, kwargs jsonb, result jsonb, exception text, traceback text, retry_count bigint, attempt bigint, max_attempts bigint,
  eta timestamptz, received_at timestamptz, started_at timestamptz, finished_at timestamptz, runtime_ms bigint, wait_ms bigint,
  worker_name text, parent_task_id text, root_task_id text, tags jsonb, release text, traceparent text, fingerprint text,
  last_failed_at timestamptz, last_event_at timestamptz, reported_by uuid, fold text, row_version bigint`;
const writtenColumns = recordType
  .split(",")
  .map((column) => column.trim().split(" ")[0] as string)
  .filter((column) => column !== "");
const identity = new Set(["id", "project_id", "engine", "task_id"]);

// The search row is written beside the task row, and only by the writer that won the task row. A row that was read and is gone since
// (deleted meanwhile) would be inserted again, whole: such a write counts as lost, like one that meets another version.
const writeText = `
  WITH given AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS r (${recordType}, search_text text)
  ), written AS (
    INSERT INTO tasks (${writtenColumns.join(", ")}, created_at, updated_at)
    SELECT ${writtenColumns.join(", ")}, $2::timestamptz, $2::timestamptz FROM given
    ON CONFLICT (id) DO UPDATE SET
      ${writtenColumns
        .filter((column) => !identity.has(column))
        .map((column) => `${column} = excluded.${column}`)
        .join(", ")}, updated_at = excluded.updated_at
    WHERE tasks.row_version = excluded.row_version - 1
    RETURNING id, row_version = 1 AS is_new, xmax = 0 AS is_inserted
  ), searchable AS (
    INSERT INTO task_search (id, project_id, received_at, search_text)
    SELECT given.id, given.project_id, given.received_at, given.search_text
    FROM given JOIN written USING (id) WHERE given.search_text IS NOT NULL
    ON CONFLICT (id) DO UPDATE SET search_text = excluded.search_text, received_at = excluded.received_at
  )
  SELECT CASE WHEN count(*) FILTER (WHERE is_new = is_inserted) = $3::int THEN 1 ELSE 1 / (count(*) - count(*)) END
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
    values: [`[${writes.map(recordText).join(",")}]`, now, writes.length],
  });
}

const text = (value: string | null): string => (value === null ? "null" : JSON.stringify(value));
const instant = (ms: number | null): string => (ms === null ? "null" : `"${new Date(ms).toISOString()}"`);

/** One element of the batch; JSON columns are text already and go in as they are. Members that are null are left out. */
function recordText({ id, row, version, isTextNew }: TaskWrite): string {
  let record =
    `{"id":"${id}","project_id":"${row.project_id}","engine":${text(row.engine)},"task_id":${text(row.task_id)},` +
    `"name":${text(row.name)},"state":"${row.state}","priority":"${row.priority}","args":${row.args},"kwargs":${row.kwargs},` +
    `"retry_count":${row.retry_count},"attempt":${row.attempt},"received_at":${instant(row.received_at)},"tags":${row.tags},` +
    `"last_event_at":${instant(row.last_event_at)},"reported_by":"${row.reported_by}","fold":"${encodeFold(row.keys)}",` +
    `"row_version":${version + 1}`;
  if (row.queue !== null) record += `,"queue":${text(row.queue)}`;
  if (row.result !== null) record += `,"result":${row.result}`;
  if (row.exception !== null) record += `,"exception":${text(row.exception)}`;
  if (row.traceback !== null) record += `,"traceback":${text(row.traceback)}`;
  if (row.max_attempts !== null) record += `,"max_attempts":${row.max_attempts}`;
  if (row.eta !== null) record += `,"eta":${instant(row.eta)}`;
  if (row.started_at !== null) record += `,"started_at":${instant(row.started_at)}`;
  if (row.finished_at !== null) record += `,"finished_at":${instant(row.finished_at)}`;
  if (row.runtime_ms !== null) record += `,"runtime_ms":${row.runtime_ms}`;
  if (row.wait_ms !== null) record += `,"wait_ms":${row.wait_ms}`;
  if (row.worker_name !== null) record += `,"worker_name":${text(row.worker_name)}`;
  if (row.parent_task_id !== null) record += `,"parent_task_id":${text(row.parent_task_id)}`;
  if (row.root_task_id !== null) record += `,"root_task_id":${text(row.root_task_id)}`;
  if (row.release !== null) record += `,"release":${text(row.release)}`;
  if (row.traceparent !== null) record += `,"traceparent":${text(row.traceparent)}`;
  if (row.fingerprint !== null) record += `,"fingerprint":"${row.fingerprint}"`;
  if (row.last_failed_at !== null) record += `,"last_failed_at":${instant(row.last_failed_at)}`;
  if (isTextNew) record += `,"search_text":${text(searchTextOf(row))}`;
  return `${record}}`;
}
