import type { PoolClient } from "pg";
import {
  arrayOf,
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
import type { TaskRow } from "../../../schema/tables/index.ts";
import { mutableColumns, type TaskColumn, taskColumns, taskFields } from "../task-fields.ts";
import { type FoldedTask, hasNewTexts, type TaskChange } from "./fold.ts";
import type { TaskLink } from "./link-store.ts";
import { asItIs, builderOf, readerOf } from "./row-code.ts";

/** A row as it was read; a write requires the same version. */
export interface PresentTask extends FoldedTask {
  readonly row_version: number;
}

/** The text that a search on PostgreSQL uses: the four texts in lower case, one per line, so that no match spans two. */
export const searchTextOf = (row: Pick<TaskRow, "name" | "queue" | "worker_name" | "task_id">): string =>
  `${row.name}\n${row.queue ?? ""}\n${row.worker_name ?? ""}\n${row.task_id}`.toLowerCase();

const isInstant = (column: TaskColumn): boolean => taskFields[column].type === "instant";
const readColumns = taskColumns.map((column) =>
  isInstant(column) ? `(extract(epoch FROM ${column}) * 1000)::bigint AS ${column}` : column,
);

const presentTask = builderOf<PresentTask, unknown>([...taskColumns, "row_version"], asItIs);

const readText = `SELECT ${readColumns.join(", ")}, row_version FROM tasks WHERE id = ANY($1::uuid[])`;
// Locked in the order that every writer of these tables uses, which prevents deadlocks.
const readLockedText = `${readText} ORDER BY project_id, engine, task_id FOR UPDATE`;

/** Existing rows by id. `isLocking` locks them until the end of the transaction. */
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
  const present = new Map<string, PresentTask>();
  for (const values of rows) {
    const row = presentTask(values);
    present.set(row.id, row);
  }
  return present;
}

interface Write {
  readonly row: FoldedTask;
  readonly version: number;
  readonly nowMs: number;
}

function columnOf(name: TaskColumn): Column<Write> {
  const of = <Value>() => readerOf<Write, Value | null>(`row.${name}`);
  switch (taskFields[name].type) {
    case "uuid":
      return column(name, name === "id" ? uuid : repeatedUuid(), of<string>());
    case "text":
      return column(name, text, of<string>());
    case "json":
      return column(name, jsonb, of<string>());
    case "integer":
      return column(name, bigint, of<number>());
    case "instant":
      return column(name, timestamptz, of<number>());
  }
}

const columns = [...taskColumns.map(columnOf), column("row_version", bigint, ({ version }: Write) => version)];
const names = columns.map(({ name }) => name).join(", ");
const place = (index: number): string => `$${columns.length + index}`;

// Rows are changed, and so locked, in the order in which they are given, because only a nested loop over them is possible for the
// planner; locking them first would cost a quarter of the rate. A row deleted since it was read is not found, and the statement does not
// wait for a transaction that inserts it again. The search row is written only where the task row was.
const inGivenOrder =
  "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_seqscan = off";
const changeText = `
  WITH given AS MATERIALIZED (
    SELECT * FROM unnest(${columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(", ")}, ${place(1)}::text[])
      AS r (${names}, search_text)
  ), written AS (
    UPDATE tasks SET ${[...mutableColumns, "row_version"].map((name) => `${name} = given.${name}`).join(", ")}, updated_at = ${place(2)}::timestamptz
    FROM given WHERE tasks.id = given.id AND tasks.row_version = given.row_version - 1
    RETURNING given.id, given.project_id, given.received_at, given.search_text
  ), searchable AS (
    INSERT INTO task_search (id, project_id, received_at, search_text)
    SELECT id, project_id, received_at, search_text FROM written WHERE search_text IS NOT NULL
    ON CONFLICT (id) DO UPDATE SET search_text = excluded.search_text, received_at = excluded.received_at
  )
  SELECT CASE WHEN count(*) = ${place(3)}::int THEN 1 ELSE 1 / (count(*) - count(*)) END FROM written`;

/** SQLSTATE of a write that lost the race: division by zero, which the statement provokes so that the following commit fails. */
export const lostRaceCode = "22012";

/**
 * Changes rows, given in lock order, if each row in the table still has the version it was merged with. Fails with `lostRaceCode` when
 * another transaction changed any of them first; all must then be rolled back, read and merged again. The search text is written only when
 * it changed.
 */
export async function changeTasks(
  client: PoolClient,
  changes: readonly TaskChange<PresentTask>[],
  now: Date,
): Promise<void> {
  if (changes.length === 0) return;
  const nowMs = now.getTime();
  const writes = changes.map(({ before, after }): Write => ({ row: after, version: before.row_version + 1, nowMs }));
  const values = [
    ...columns.map((column) => column.arrayOf(writes)),
    arrayOf(
      text,
      changes.map(({ before, after }) => (hasNewTexts(before, after) ? searchTextOf(after) : null)),
    ),
    now,
    changes.length,
  ];
  await Promise.all([
    client.query(inGivenOrder),
    client.query({ name: "ingest-change-tasks", text: changeText, values }),
  ]);
}

const copiedTasks = [
  ...columns,
  column("created_at", timestamptz, ({ nowMs }: Write) => nowMs),
  column("updated_at", timestamptz, ({ nowMs }: Write) => nowMs),
];
const copiedTexts = [
  ...(["id", "project_id", "received_at"] as const).map(columnOf),
  column("search_text", text, ({ row }: Write) => searchTextOf(row)),
];

/**
 * Copies rows of new tasks, given in lock order; fails with `uniqueViolation` when another transaction inserted one first. It then holds no
 * lock on rows of the other transaction, which an INSERT with ON CONFLICT would take.
 */
export async function copyTasks(client: PoolClient, rows: readonly FoldedTask[], now: Date): Promise<void> {
  if (rows.length === 0) return;
  const nowMs = now.getTime();
  const writes = rows.map((row): Write => ({ row, version: 1, nowMs }));
  await Promise.all([copyIn(client, "tasks", copiedTasks, writes), copyIn(client, "task_search", copiedTexts, writes)]);
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

/** Joins retry links: the smallest (at, old id) of a new id is kept. */
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
