import { sql } from "kysely";
import type { DialectName, Tx } from "../../../platform/database/database.ts";
import type { BrainDatabase, Tables, TaskRow } from "../../../schema/tables/index.ts";

export type ExpiredTask = Pick<TaskRow, "id" | "project_id" | "engine" | "task_id" | "state">;

/** Ids of tasks of all projects whose newest event is older than `cutoff`, the oldest first. */
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

/**
 * Those of the given tasks that are still expired, held until the end of the transaction: one that an event reached meanwhile stays.
 * Locked in the order that every writer of this table keeps (spec part 3, section 2.4).
 */
export function lockExpired(
  tx: Tx<Tables>,
  dialect: DialectName,
  ids: readonly string[],
  cutoff: Date,
): Promise<ExpiredTask[]> {
  const isGiven =
    dialect === "postgres"
      ? sql<boolean>`id = ANY (${ids}::uuid[])`
      : sql<boolean>`id IN (SELECT given.value FROM json_each(${JSON.stringify(ids)}) AS given)`;
  return tx
    .selectFrom("tasks")
    .select(["id", "project_id", "engine", "task_id", "state"])
    .where(isGiven)
    .where("last_event_at", "<", cutoff)
    .orderBy("project_id")
    .orderBy("engine")
    .orderBy("task_id")
    .$if(dialect === "postgres", (query) => query.forUpdate())
    .execute();
}
