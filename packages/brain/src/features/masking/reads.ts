import type { BrainDatabase } from "../../schema/tables/index.ts";

type Db = BrainDatabase;

/** Tasks by the id of their row, in one engine or, with null, in all of them. */
export const tasksByRow = (
  db: Db,
  { projectId, engine, rowIds }: { projectId: string; engine: string | null; rowIds: readonly string[] },
) =>
  db.read
    .selectFrom("tasks")
    .select(["id", "engine", "task_id"])
    .where("id", "in", rowIds)
    .where("project_id", "=", projectId)
    .$if(engine !== null, (query) => query.where("engine", "=", engine ?? ""))
    .execute();

/** Those of the ids that the engine itself gave to a task. */
export const idsOfEngine = (
  db: Db,
  { projectId, engines, taskIds }: { projectId: string; engines: readonly string[]; taskIds: readonly string[] },
) =>
  db.read
    .selectFrom("tasks")
    .select(["engine", "task_id"])
    .where("project_id", "=", projectId)
    .where("engine", "in", engines)
    .where("task_id", "in", taskIds)
    .execute();

/** Ids of tasks from `from` to before `below`, in their order, `limit` at most. */
export async function taskIdsBetween(
  db: Db,
  { projectId, engine }: { projectId: string; engine: string },
  { from, below }: { from: string; below: string | null },
  limit: number,
): Promise<string[]> {
  const rows = await db.slow
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

/** Names of a project's queues or workers, of one engine or of all, `limit` at most. */
export async function namesIn(
  db: Db,
  table: "queues" | "workers",
  { projectId, engine }: { projectId: string; engine: string | null },
  limit: number,
): Promise<string[]> {
  const rows = await db.slow
    .selectFrom(table)
    .select("name")
    .distinct()
    .where("project_id", "=", projectId)
    .$if(engine !== null, (query) => query.where("engine", "=", engine ?? ""))
    .limit(limit)
    .execute();
  return rows.map(({ name }) => name);
}
