import { chunks } from "../../../platform/chunks.ts";
import type { Tx } from "../../../platform/database/database.ts";
import { isEmbedded } from "../../../platform/database/dialects/by-dialect.ts";
import { isAmong } from "../../../platform/database/dialects/expressions/values-table.ts";
import type { BrainDatabase, Tables, TaskRow } from "../../../schema/tables/index.ts";

const lockedColumns = [
  "id",
  "project_id",
  "engine",
  "task_id",
  "state",
  "priority",
  "name",
  "queue",
  "worker_name",
  "received_at",
] as const satisfies readonly (keyof TaskRow)[];

export type LockedTask = Pick<TaskRow, (typeof lockedColumns)[number]>;

/** Locked until the end of the transaction. Every writer of these tables locks in this order, which prevents deadlocks. */
const locked = (tx: Tx<Tables>, ids: readonly string[]) =>
  tx
    .selectFrom("tasks")
    .select(lockedColumns)
    .where(isAmong("id", "uuid", ids))
    .orderBy("project_id")
    .orderBy("engine")
    .orderBy("task_id")
    .forUpdate();

/** Tasks of one project by id; unknown ids and those of other projects are ignored. */
export const lockTasks = (tx: Tx<Tables>, projectId: string, ids: readonly string[]): Promise<LockedTask[]> =>
  locked(tx, ids).where("project_id", "=", projectId).execute();

/** Those of the given tasks that are still expired: one that has received an event since is kept. */
export const lockExpired = (tx: Tx<Tables>, ids: readonly string[], cutoff: Date): Promise<LockedTask[]> =>
  locked(tx, ids).where("last_event_at", "<", cutoff).execute();

/** Ids of tasks of all projects whose newest event is older than `cutoff`, oldest first. */
export async function expiredTaskIds(
  { slow }: Pick<BrainDatabase, "slow">,
  cutoff: Date,
  limit: number,
): Promise<string[]> {
  const rows = await slow
    .selectFrom("tasks")
    .select("id")
    .where("last_event_at", "<", cutoff)
    .orderBy("last_event_at")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

const idsPerStatement = 500;

/** Deletes locked tasks with the links of their own ids and their search entries. Their events are kept. */
export async function deleteTasks(
  tx: Tx<Tables>,
  projectId: string,
  tasks: readonly Pick<LockedTask, "id" | "engine" | "task_id">[],
): Promise<void> {
  for (const some of chunks(tasks, idsPerStatement)) {
    const ids = some.map(({ id }) => id);
    await tx.deleteFrom("tasks").where("project_id", "=", projectId).where("id", "in", ids).execute();
    // On SQLite a trigger does this.
    if (!isEmbedded(tx)) await tx.deleteFrom("task_search").where("id", "in", ids).execute();
  }
  for (const some of chunks(tasks, idsPerStatement)) {
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
