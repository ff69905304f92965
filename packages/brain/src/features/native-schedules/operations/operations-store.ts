import { sql } from "kysely";
import type { Tx } from "../../../platform/database/database.ts";
import type { BrainDatabase, Db, ExternalControlOperationRow, Tables } from "../../../schema/tables/index.ts";
import type { OperationFacts } from "./verdict.ts";

/** The operation of a schedule that is pending. */
export const findPending = (
  db: Db,
  { project_id, id }: { project_id: string; id: string },
): Promise<ExternalControlOperationRow | undefined> =>
  db
    .selectFrom("external_control_operations")
    .selectAll()
    .where("project_id", "=", project_id)
    .where("schedule_id", "=", id)
    .where("status", "=", "pending")
    .executeTakeFirst();

/** Whether the row was inserted: a schedule has at most one pending operation. */
export async function insertOperation(tx: Tx<Tables>, row: ExternalControlOperationRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("external_control_operations")
    .values(row)
    .onConflict((conflict) => conflict.column("schedule_id").where("status", "=", sql.lit("pending")).doNothing())
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows) === 1;
}

export interface PendingOperation extends OperationFacts {
  readonly row: ExternalControlOperationRow;
  readonly agentId: string | null;
}

/** Pending operations of all projects with what decides them, oldest first. */
export async function pendingOperations(
  { read }: Pick<BrainDatabase, "read">,
  limit: number,
): Promise<PendingOperation[]> {
  const rows = await read
    .selectFrom("external_control_operations as o")
    .leftJoin("commands as c", "c.id", "o.command_id")
    .leftJoin("agents as a", "a.id", "c.agent_id")
    .leftJoin("schedules as s", "s.id", "o.schedule_id")
    .selectAll("o")
    .select([
      ...(["c.status as command_status", "c.error as command_error", "c.result as command_result"] as const),
      ...(["c.dispatched_at", "c.completed_at", "c.agent_id", "a.state as agent_state", "a.revoked_at"] as const),
      "s.is_enabled",
    ])
    .where("o.status", "=", "pending")
    .orderBy("o.created_at")
    .orderBy("o.id")
    .limit(limit)
    .execute();
  return rows.map((found) => {
    const { command_status, command_error, command_result, dispatched_at, completed_at, ...rest } = found;
    const { agent_id, agent_state, revoked_at, is_enabled, ...row } = rest;
    return {
      row,
      agentId: agent_id,
      desired: row.desired_is_enabled,
      command:
        command_status === null
          ? undefined
          : { status: command_status, error: command_error, result: command_result, dispatched_at, completed_at },
      isAgentOnline: agent_state === "online" && revoked_at === null,
      schedule: is_enabled === null ? undefined : { is_enabled },
    };
  });
}

/** Ends a pending operation; false when another process has done so. */
export async function endOperation(
  tx: Tx<Tables>,
  id: string,
  end: Pick<ExternalControlOperationRow, "status" | "error" | "updated_at">,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("external_control_operations")
    .set(end)
    .where("id", "=", id)
    .where("status", "=", "pending")
    .executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

/** Deletes at most `limit` operations that ended before `cutoff`; returns how many. */
export async function deleteOperationsBefore(
  { write }: Pick<BrainDatabase, "write">,
  cutoff: Date,
  limit: number,
): Promise<number> {
  const { numDeletedRows } = await write((tx) =>
    tx
      .deleteFrom("external_control_operations")
      .where("id", "in", (eb) =>
        eb
          .selectFrom("external_control_operations")
          .select("id")
          .where("created_at", "<", cutoff)
          .where("status", "!=", "pending")
          .orderBy("created_at")
          .limit(limit),
      )
      .executeTakeFirst(),
  );
  return Number(numDeletedRows);
}
