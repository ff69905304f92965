import type { Db, ExternalControlOperationRow } from "../../../schema/tables/index.ts";

/** An operation as the API shows it. */
export type ShownOperation = Omit<ExternalControlOperationRow, "project_id">;

export const findOperation = (db: Db, projectId: string, id: string): Promise<ShownOperation | undefined> =>
  db
    .selectFrom("external_control_operations")
    .select(["id", "schedule_id", "command_id", "action", "status", "desired_is_enabled"])
    .select(["error", "created_at", "updated_at"])
    .where("id", "=", id)
    .where("project_id", "=", projectId)
    .executeTakeFirst();
