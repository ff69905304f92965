import { sql } from "kysely";
import { jsonElements } from "../../platform/database/dialects/expressions/json-columns.ts";
import { isAmong } from "../../platform/database/dialects/expressions/values-table.ts";
import type { BrainDatabase, Db, TaskRow } from "../../schema/tables/index.ts";
import { type ChangedTaskRow, hubColumns, type Lineage, type PublicTaskRow, publicColumns } from "./task-fields.ts";

export async function findPublicTask(
  db: BrainDatabase,
  { projectId, engine, taskId }: { projectId: string; engine: string; taskId: string },
): Promise<PublicTaskRow | null> {
  const row = await db.read
    .selectFrom("tasks")
    .select(publicColumns)
    .where("project_id", "=", projectId)
    .where("engine", "=", engine)
    .where("task_id", "=", taskId)
    .executeTakeFirst();
  return row ?? null;
}

/** What the dashboard hub sends of tasks, by id; ids of other projects are ignored. */
export const changedRows = (db: BrainDatabase, projectId: string, ids: readonly string[]): Promise<ChangedTaskRow[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : db.read
        .selectFrom("tasks")
        .select(hubColumns)
        .where("id", "in", ids)
        .where("project_id", "=", projectId)
        .execute();

const familyColumns = [
  "engine",
  "task_id",
  "name",
  "state",
  "parent_task_id",
  "root_task_id",
  "received_at",
  "started_at",
  "finished_at",
] as const;
export type TreeTask = Pick<TaskRow, (typeof familyColumns)[number]>;

/** Every task, of any engine, that names `rootId` as its root, by (received_at, task_id), at most `limit`. */
export const tasksOfRoot = (db: BrainDatabase, projectId: string, rootId: string, limit: number): Promise<TreeTask[]> =>
  db.slow
    .selectFrom("tasks")
    .select(familyColumns)
    .where("project_id", "=", projectId)
    .where("root_task_id", "=", rootId)
    .orderBy("received_at")
    .orderBy("task_id")
    .limit(limit)
    .execute();

/** The tasks with this id in the given engines. */
export const tasksNamed = (
  db: BrainDatabase,
  { projectId, engines, taskId }: { projectId: string; engines: readonly string[]; taskId: string },
): Promise<TreeTask[]> =>
  engines.length === 0
    ? Promise.resolve([])
    : db.read
        .selectFrom("tasks")
        .select(familyColumns)
        .where("project_id", "=", projectId)
        .where("engine", "in", engines)
        .where("task_id", "=", taskId)
        .execute();

interface LinkedTask {
  readonly engine: string;
  readonly task_id: string;
}

/**
 * Retry lineage of the tasks of one page, keyed by `addressKey`: one statement that searches two indexes once per task, however many links
 * other tasks have, and however often one was retried.
 */
export async function lineageOf(
  db: Db,
  { projectId, tasks }: { projectId: string; tasks: readonly LinkedTask[] },
): Promise<ReadonlyMap<string, Lineage>> {
  if (tasks.length === 0) return new Map();
  const each = jsonElements(tasks.map(({ engine, task_id }) => [engine, task_id]));
  const { rows } = await sql<LinkedTask & Lineage>`
    SELECT shown.engine, shown.task_id,
      (SELECT old_id FROM task_links AS link WHERE project_id = ${projectId} AND link.engine = shown.engine
        AND new_id = shown.task_id AND new_id <> old_id) AS retry_of,
      (SELECT new_id FROM task_links AS link WHERE project_id = ${projectId} AND link.engine = shown.engine
        AND old_id = shown.task_id AND new_id <> old_id ORDER BY linked_at DESC, new_id DESC LIMIT 1) AS retried_as
    FROM (SELECT value ->> 0 AS engine, value ->> 1 AS task_id FROM ${each}) AS shown`.execute(db);
  return new Map(rows.map((row) => [addressKey(row), { retry_of: row.retry_of, retried_as: row.retried_as }]));
}

export const addressKey = ({ engine, task_id }: LinkedTask): string => `${engine}\u0000${task_id}`;

const retriedColumns = [
  "id",
  "engine",
  "task_id",
  "state",
  "priority",
  "name",
  "queue",
  "worker_name",
  "received_at",
  "finished_at",
  "reported_by",
] as const;
/** What a retry needs of a task. */
export type RetriedTask = Pick<TaskRow, (typeof retriedColumns)[number]>;

/** Tasks of one project by row id, in the order of (engine, task_id). */
export function tasksByRowId(db: Db, projectId: string, ids: readonly string[]): Promise<RetriedTask[]> {
  return db
    .selectFrom("tasks")
    .select(retriedColumns)
    .where("project_id", "=", projectId)
    .where(isAmong("id", "uuid", ids))
    .orderBy("engine")
    .orderBy("task_id")
    .execute();
}
