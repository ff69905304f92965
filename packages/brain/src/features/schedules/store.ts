import type { Tx } from "../../platform/database/database.ts";
import type { Db, ProjectRow, ScheduleRow, Tables } from "../../schema/tables/index.ts";

export const findSchedule = (db: Db, projectId: string, id: string): Promise<ScheduleRow | undefined> =>
  db.selectFrom("schedules").selectAll().where("id", "=", id).where("project_id", "=", projectId).executeTakeFirst();

/** What schedules take from their project. */
export type ScheduleProject = Pick<
  ProjectRow,
  "default_scheduler_owner" | "allowed_schedulers" | "is_active" | "timezone"
>;

const projectOf = (db: Db, projectId: string) =>
  db
    .selectFrom("projects")
    .select(["default_scheduler_owner", "allowed_schedulers", "is_active", "timezone"])
    .where("id", "=", projectId);

export const findProject = (db: Db, projectId: string): Promise<ScheduleProject | undefined> =>
  projectOf(db, projectId).executeTakeFirst();

/** The same; the project cannot be archived until the transaction ends. */
export const holdProject = (tx: Tx<Tables>, projectId: string): Promise<ScheduleProject | undefined> =>
  projectOf(tx, projectId).forKeyShare().executeTakeFirst();

export async function insertSchedule(tx: Tx<Tables>, row: ScheduleRow): Promise<void> {
  await tx.insertInto("schedules").values(row).execute();
}

/** Its skips, misfires and operations are deleted with it. Fires that wait for an agent become stale when they are replayed. */
export async function deleteSchedule(tx: Tx<Tables>, { id, project_id }: ScheduleRow): Promise<void> {
  await tx.deleteFrom("schedules").where("id", "=", id).where("project_id", "=", project_id).execute();
}
