import { isAmong } from "../../../platform/database/dialects/expressions/values-table.ts";
import type { Db, ProjectRow, ScheduleChangeRow, ScheduleRow } from "../../../schema/tables/index.ts";
import { ownScheduler } from "../../schedules/index.ts";

/** Number of the newest change of all schedules. */
export async function readServerRevision(db: Db): Promise<number> {
  const { revision } = await db.selectFrom("schedule_control").select("revision").executeTakeFirstOrThrow();
  return Number(revision);
}

export type StreamProject = Pick<ProjectRow, "slug" | "is_active">;

/** All projects by id. */
export async function readProjects(db: Db): Promise<ReadonlyMap<string, StreamProject>> {
  const rows = await db.selectFrom("projects").select(["id", "slug", "is_active"]).execute();
  return new Map(rows.map(({ id, ...project }) => [id, project]));
}

export type CursorRow = Pick<
  ScheduleRow,
  "id" | "project_id" | "scheduler" | "schedule_revision" | "control_token" | "definition_digest" | "next_run_at"
>;

/**
 * Schedules of any owner and project without their definitions, by ascending id. The caller filters: with further conditions, a server
 * database without statistics reads all schedules for each page.
 */
export function readCursorPage(
  db: Db,
  { afterId, limit }: { afterId: string | null; limit: number },
): Promise<CursorRow[]> {
  return db
    .selectFrom("schedules")
    .select(["id", "project_id", "scheduler", "schedule_revision", "control_token", "definition_digest", "next_run_at"])
    .$if(afterId !== null, (query) => query.where("id", ">", afterId))
    .orderBy("id")
    .limit(limit)
    .execute();
}

export type Change = Pick<ScheduleChangeRow, "revision" | "project_id" | "schedule_id" | "change_kind">;

/** Changes after a revision up to another, in order. */
export async function readChanges(
  db: Db,
  { after, through, limit }: { after: number; through: number; limit: number },
): Promise<Change[]> {
  const rows = await db
    .selectFrom("schedule_changes")
    .select(["revision", "project_id", "schedule_id", "change_kind"])
    .where("revision", ">", after)
    .where("revision", "<=", through)
    .orderBy("revision")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, revision: Number(row.revision) }));
}

/** Schedules of any owner by id. */
export async function readSchedules(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, ScheduleRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom("schedules").selectAll().where("id", "in", ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Whether one of the projects has a schedule of this service whose last change is not after a revision. */
export async function hasSchedules(db: Db, projectIds: readonly string[], through: number): Promise<boolean> {
  if (projectIds.length === 0) return false;
  const found = await db
    .selectFrom("schedules")
    .select("id")
    .where("project_id", "in", projectIds)
    .where("scheduler", "=", ownScheduler)
    .where("schedule_revision", "<=", through)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** The projects of schedules, by their ids. */
export async function findScheduleProjects(
  db: Db,
  scheduleIds: readonly string[],
): Promise<ReadonlyMap<string, { readonly id: string; readonly slug: string }>> {
  const rows = await db
    .selectFrom("schedules")
    .innerJoin("projects", "projects.id", "schedules.project_id")
    .select(["schedules.id as schedule_id", "projects.id", "projects.slug"])
    .where(isAmong("schedules.id", "uuid", scheduleIds))
    .execute();
  return new Map(rows.map(({ schedule_id, ...project }) => [schedule_id, project]));
}

/** The project of a fire; undefined when there is none with this id. */
export const findFireProject = (db: Db, fireId: string): Promise<{ id: string; slug: string } | undefined> =>
  db
    .selectFrom("schedule_fire_ids")
    .innerJoin("projects", "projects.id", "schedule_fire_ids.project_id")
    .select(["projects.id", "projects.slug"])
    .where("schedule_fire_ids.fire_id", "=", fireId)
    .executeTakeFirst();
