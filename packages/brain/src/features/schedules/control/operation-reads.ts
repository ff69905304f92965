import type { Db, ExternalControlOperationRow, ScheduleRow } from "../../../schema/tables/index.ts";

/** An operation as the API shows it. */
export type ShownOperation = Omit<ExternalControlOperationRow, "project_id">;

const shownOperations = (db: Db, projectId: string) =>
  db
    .selectFrom("external_control_operations")
    .select(["id", "schedule_id", "command_id", "action", "status", "desired_is_enabled"])
    .select(["error", "created_at", "updated_at"])
    .where("project_id", "=", projectId);

export const findOperation = (db: Db, projectId: string, id: string): Promise<ShownOperation | undefined> =>
  shownOperations(db, projectId).where("id", "=", id).executeTakeFirst();

/** At most one operation of a schedule is pending. */
export const findPendingOperation = (
  db: Db,
  { id, project_id }: Pick<ScheduleRow, "id" | "project_id">,
): Promise<ShownOperation | undefined> =>
  shownOperations(db, project_id).where("schedule_id", "=", id).where("status", "=", "pending").executeTakeFirst();
