import { sql } from "kysely";
import type { DialectName, Tx } from "../../../platform/database/database.ts";
import type { Tables, TaskRow } from "../../../schema/tables/index.ts";

export type LockedTask = Pick<
  TaskRow,
  "id" | "engine" | "task_id" | "state" | "priority" | "name" | "queue" | "worker_name" | "received_at"
>;

const idsPerStatement = 500;

/**
 * Tasks of one project by id, held until the end of the transaction. Locked in the order that every writer of these tables keeps
 * (spec part 3, section 2.4); unknown ids and those of other projects are passed over.
 */
export async function lockTasks(
  tx: Tx<Tables>,
  dialect: DialectName,
  projectId: string,
  ids: readonly string[],
): Promise<LockedTask[]> {
  const isGiven =
    dialect === "postgres"
      ? sql<boolean>`id = ANY (${ids}::uuid[])`
      : sql<boolean>`id IN (SELECT given.value FROM json_each(${JSON.stringify(ids)}) AS given)`;
  return tx
    .selectFrom("tasks")
    .select(["id", "engine", "task_id", "state", "priority", "name", "queue", "worker_name", "received_at"])
    .where("project_id", "=", projectId)
    .where(isGiven)
    .orderBy("engine")
    .orderBy("task_id")
    .$if(dialect === "postgres", (query) => query.forUpdate())
    .execute();
}

/** Deletes locked tasks with what belongs to them: the links of their own ids and what searches find them by. Their events stay. */
export async function deleteTasks(
  tx: Tx<Tables>,
  dialect: DialectName,
  projectId: string,
  tasks: readonly Pick<LockedTask, "id" | "engine" | "task_id">[],
): Promise<void> {
  for (let start = 0; start < tasks.length; start += idsPerStatement) {
    const ids = tasks.slice(start, start + idsPerStatement).map(({ id }) => id);
    await tx.deleteFrom("tasks").where("project_id", "=", projectId).where("id", "in", ids).execute();
    // On the embedded database a trigger does it.
    if (dialect === "postgres") await tx.deleteFrom("task_search").where("id", "in", ids).execute();
  }
  for (let start = 0; start < tasks.length; start += idsPerStatement) {
    const some = tasks.slice(start, start + idsPerStatement);
    await tx
      .deleteFrom("task_links")
      .where("project_id", "=", projectId)
      .where((eb) =>
        eb(
          eb.refTuple("engine", "new_id"),
          "in",
          some.map(({ engine, task_id }) => eb.tuple(engine, task_id)),
        ),
      )
      .execute();
  }
}
