import { type Kysely, sql } from "kysely";
import type { DialectName } from "../../platform/database/database.ts";
import type { Tables, TaskRow } from "../../schema/tables/index.ts";

/** What a retry has to know of a task. */
export type RetriedTask = Pick<
  TaskRow,
  | "id"
  | "engine"
  | "task_id"
  | "state"
  | "priority"
  | "name"
  | "queue"
  | "worker_name"
  | "received_at"
  | "finished_at"
  | "reported_by"
>;

/** Tasks of one project by row id, in the order of (engine, task_id). */
export function tasksByRowId(
  db: Kysely<Tables>,
  dialect: DialectName,
  projectId: string,
  ids: readonly string[],
): Promise<RetriedTask[]> {
  const isGiven =
    dialect === "postgres"
      ? sql<boolean>`id = ANY (${ids}::uuid[])`
      : sql<boolean>`id IN (SELECT given.value FROM json_each(${JSON.stringify(ids)}) AS given)`;
  return db
    .selectFrom("tasks")
    .select([
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
    ])
    .where("project_id", "=", projectId)
    .where(isGiven)
    .orderBy("engine")
    .orderBy("task_id")
    .execute();
}
