import type { BrainDatabase } from "../../schema/tables/index.ts";

/** Tasks by row id, in one engine or, with null, in all. */
export const tasksByRow = (
  database: BrainDatabase,
  { projectId, engine, rowIds }: { projectId: string; engine: string | null; rowIds: readonly string[] },
) =>
  database.read
    .selectFrom("tasks")
    .select(["id", "engine", "task_id"])
    .where("id", "in", rowIds)
    .where("project_id", "=", projectId)
    .$if(engine !== null, (query) => query.where("engine", "=", engine ?? ""))
    .execute();

/** Those of the ids that an engine gave to a task. */
export const idsOfEngine = (
  database: BrainDatabase,
  { projectId, engines, taskIds }: { projectId: string; engines: readonly string[]; taskIds: readonly string[] },
) =>
  database.read
    .selectFrom("tasks")
    .select(["engine", "task_id"])
    .where("project_id", "=", projectId)
    .where("engine", "in", engines)
    .where("task_id", "in", taskIds)
    .execute();

/** Task ids in [from, below), in order, at most `limit`. */
export async function taskIdsBetween(
  database: BrainDatabase,
  { projectId, engine }: { projectId: string; engine: string },
  { from, below }: { from: string; below: string | null },
  limit: number,
): Promise<string[]> {
  const rows = await database.slow
    .selectFrom("tasks")
    .select("task_id")
    .where("project_id", "=", projectId)
    .where("engine", "=", engine)
    .where("task_id", ">=", from)
    .$if(below !== null, (query) => query.where("task_id", "<", below ?? ""))
    .orderBy("task_id")
    .limit(limit)
    .execute();
  return rows.map(({ task_id }) => task_id);
}

/** Names of a project's queues or workers, of one engine or all, at most `limit`. */
export async function namesIn(
  database: BrainDatabase,
  table: "queues" | "workers",
  { projectId, engine }: { projectId: string; engine: string | null },
  limit: number,
): Promise<string[]> {
  const rows = await database.slow
    .selectFrom(table)
    .select("name")
    .distinct()
    .where("project_id", "=", projectId)
    .$if(engine !== null, (query) => query.where("engine", "=", engine ?? ""))
    .limit(limit)
    .execute();
  return rows.map(({ name }) => name);
}
