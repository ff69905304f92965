import { sql } from "kysely";
import { jsonTextsInOrder } from "../../../platform/database/dialects/expressions/json-columns.ts";
import type { Db, TaskRow } from "../../../schema/tables/index.ts";

/** What a command includes about a task, and the agent that reported its newest event. */
export type CommandTask = Pick<TaskRow, "name" | "priority" | "queue" | "reported_by">;

export const findCommandTask = (
  db: Db,
  { projectId, engine, taskId }: { projectId: string; engine: string; taskId: string },
): Promise<CommandTask | undefined> =>
  db
    .selectFrom("tasks")
    .select(["name", "priority", "queue", "reported_by"])
    .where("project_id", "=", projectId)
    .where("engine", "=", engine)
    .where("task_id", "=", taskId)
    .executeTakeFirst();

/** Ids without a task in this project and engine, in the given order, at most `limit`. */
export async function unknownTasks(
  db: Db,
  {
    projectId,
    engine,
    taskIds,
    limit,
  }: { projectId: string; engine: string; taskIds: readonly string[]; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ value: string }>`
    SELECT given.value FROM ${jsonTextsInOrder(taskIds)} WHERE NOT EXISTS (
      SELECT 1 FROM tasks WHERE project_id = ${projectId} AND engine = ${engine} AND task_id = given.value
    ) ORDER BY given.place LIMIT ${limit}`.execute(db);
  return rows.map(({ value }) => value);
}
