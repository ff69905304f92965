import type { PoolClient } from "pg";
import {
  arrayOf,
  type BinaryType,
  bigint,
  type Column,
  column,
  jsonb,
  repeatedUuid,
  text,
  timestamptz,
  uuid,
} from "../../../platform/database/dialects/postgres/binary-values.ts";
import { copyIn } from "../../../platform/database/dialects/postgres/copy-in.ts";
import type { FoldedTask } from "./fold.ts";
import { decodeFold, encodeFold } from "./fold-keys.ts";
import type { TaskLink } from "./link-store.ts";

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

/** What a search looks through on the server database: the four texts in lower case, one per line, so that no hit spans two. */
export const searchTextOf = (row: Pick<FoldedTask, "name" | "queue" | "worker_name" | "task_id">): string =>
  `${row.name}\n${row.queue ?? ""}\n${row.worker_name ?? ""}\n${row.task_id}`.toLowerCase();

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

type Values<Value> = (row: FoldedTask) => Value;

const ofRow =
  <Value>(type: BinaryType<Value>) =>
  (name: string, of: Values<Value | null>): Column<TaskWrite> =>
    column(name, type, ({ row }) => of(row));
const uuidOf = (name: string, of: Values<string>) => ofRow(repeatedUuid())(name, of);
const textOf = ofRow(text);
const jsonOf = ofRow(jsonb);
const intOf = ofRow(bigint);
const instantOf = ofRow(timestamptz);

const identity: readonly Column<TaskWrite>[] = [
  column("id", uuid, ({ id }) => id),
  uuidOf("project_id", (row) => row.project_id),
  textOf("engine", (row) => row.engine),
  textOf("task_id", (row) => row.task_id),
];
const content: readonly Column<TaskWrite>[] = [
  textOf("name", (row) => row.name),
  textOf("queue", (row) => row.queue),
  textOf("state", (row) => row.state),
  textOf("priority", (row) => row.priority),
  jsonOf("args", (row) => row.args),
  jsonOf("kwargs", (row) => row.kwargs),
  jsonOf("result", (row) => row.result),
  textOf("exception", (row) => row.exception),
  textOf("traceback", (row) => row.traceback),
  intOf("retry_count", (row) => row.retry_count),
  intOf("attempt", (row) => row.attempt),
  intOf("max_attempts", (row) => row.max_attempts),
  instantOf("eta", (row) => row.eta),
  instantOf("received_at", (row) => row.received_at),
  instantOf("started_at", (row) => row.started_at),
  instantOf("finished_at", (row) => row.finished_at),
  intOf("runtime_ms", (row) => row.runtime_ms),
  intOf("wait_ms", (row) => row.wait_ms),
  textOf("worker_name", (row) => row.worker_name),
  textOf("parent_task_id", (row) => row.parent_task_id),
  textOf("root_task_id", (row) => row.root_task_id),
  jsonOf("tags", (row) => row.tags),
  textOf("release", (row) => row.release),
  textOf("traceparent", (row) => row.traceparent),
  textOf("fingerprint", (row) => row.fingerprint),
  instantOf("last_failed_at", (row) => row.last_failed_at),
  instantOf("last_event_at", (row) => row.last_event_at),
  uuidOf("reported_by", (row) => row.reported_by),
  textOf("fold", (row) => encodeFold(row.keys)),
  column("row_version", bigint, ({ version }) => version + 1),
];
const columns = [...identity, ...content];
const names = columns.map(({ name }) => name).join(", ");
const place = (index: number): string => `$${columns.length + index}`;

// Rows are changed, and so locked, in the order in which they are given, because nothing but a nested loop over them is left to the
// planner; to lock them first would cost a quarter of the rate. A row that is gone since it was read (deleted meanwhile) is not found, and
// whoever inserts it again is not waited for. The search row is written only where the task row was.
const inGivenOrder =
  "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_seqscan = off";
const changeText = `
  WITH given AS MATERIALIZED (
    SELECT * FROM unnest(${columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(", ")}, ${place(1)}::text[])
      AS r (${names}, search_text)
  ), written AS (
    UPDATE tasks SET ${content.map(({ name }) => `${name} = given.${name}`).join(", ")}, updated_at = ${place(2)}::timestamptz
    FROM given WHERE tasks.id = given.id AND tasks.row_version = given.row_version - 1
    RETURNING given.id, given.project_id, given.received_at, given.search_text
  ), searchable AS (
    INSERT INTO task_search (id, project_id, received_at, search_text)
    SELECT id, project_id, received_at, search_text FROM written WHERE search_text IS NOT NULL
    ON CONFLICT (id) DO UPDATE SET search_text = excluded.search_text, received_at = excluded.received_at
  )
  SELECT CASE WHEN count(*) = ${place(3)}::int THEN 1 ELSE 1 / (count(*) - count(*)) END FROM written`;

/** SQLSTATE of a write that came too late: division by zero, which the statement brings about so that the commit behind it fails. */
export const lostRaceCode = "22012";

/**
 * Changes rows, given in lock order, each on condition that the row in the table still has the version it was merged with. Fails with
 * `lostRaceCode` when another transaction was faster for any of them; all must then be undone, read and merged again.
 */
export async function changeTasks(client: PoolClient, writes: readonly TaskWrite[], now: Date): Promise<void> {
  if (writes.length === 0) return;
  const values = [
    ...columns.map((column) => column.arrayOf(writes)),
    arrayOf(
      text,
      writes.map(({ row, isTextNew }) => (isTextNew ? searchTextOf(row) : null)),
    ),
    now,
    writes.length,
  ];
  await Promise.all([
    client.query(inGivenOrder),
    client.query({ name: "ingest-change-tasks", text: changeText, values }),
  ]);
}

interface NewTask extends TaskWrite {
  readonly nowMs: number;
}

const copiedTasks: readonly Column<NewTask>[] = [
  ...columns,
  column("created_at", timestamptz, ({ nowMs }) => nowMs),
  column("updated_at", timestamptz, ({ nowMs }) => nowMs),
];
const copiedTexts: readonly Column<NewTask>[] = [
  column("id", uuid, ({ id }) => id),
  column("project_id", repeatedUuid(), ({ row }) => row.project_id),
  column("received_at", timestamptz, ({ row }) => row.received_at),
  column("search_text", text, ({ row }) => searchTextOf(row)),
];

/**
 * Copies rows of tasks that were not there, given in lock order; fails with `uniqueViolation` when another transaction was faster. It
 * then holds no row of the other one, which an INSERT with ON CONFLICT would lock.
 */
export async function copyTasks(client: PoolClient, writes: readonly TaskWrite[], now: Date): Promise<void> {
  if (writes.length === 0) return;
  const rows = writes.map((write): NewTask => ({ ...write, nowMs: now.getTime() }));
  await Promise.all([copyIn(client, "tasks", copiedTasks, rows), copyIn(client, "task_search", copiedTexts, rows)]);
}

const joinText = `
  INSERT INTO task_links (project_id, engine, new_id, old_id, linked_at)
  SELECT DISTINCT ON (p, e, n) p, e, n, o, a
  FROM (
    SELECT p, e COLLATE "C" AS e, n COLLATE "C" AS n, o COLLATE "C" AS o, a
    FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::timestamptz[]) AS r (p, e, n, o, a)
  ) AS given
  ORDER BY p, e, n, a, o
  ON CONFLICT (project_id, engine, new_id) DO UPDATE SET old_id = excluded.old_id, linked_at = excluded.linked_at
  WHERE (excluded.linked_at, excluded.old_id) < (task_links.linked_at, task_links.old_id)`;

/** Joins retry links: of one new id the smallest (at, old id) stands (spec part 3, section 4.3). */
export async function joinLinks(client: PoolClient, links: readonly TaskLink[]): Promise<void> {
  if (links.length === 0) return;
  await client.query({
    name: "ingest-join-links",
    text: joinText,
    values: [
      links.map(({ projectId }) => projectId),
      links.map(({ engine }) => engine),
      links.map(({ newId }) => newId),
      links.map(({ oldId }) => oldId),
      links.map(({ at }) => new Date(at).toISOString()),
    ],
  });
}
