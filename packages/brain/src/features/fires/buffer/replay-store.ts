import type { Tx } from "../../../platform/database/database.ts";
import type { Db, PendingFireRow, ScheduleRow, Tables } from "../../../schema/tables/index.ts";

/** A project and an engine for which fires wait. */
export type WaitingTarget = Pick<PendingFireRow, "project_id" | "engine">;

/** Where fires wait, at most `limit` targets of active projects; of one project if it is given. */
export const waitingTargets = (db: Db, projectId: string | null, limit: number): Promise<WaitingTarget[]> =>
  db
    .selectFrom("pending_fires as w")
    .innerJoin("projects as p", "p.id", "w.project_id")
    .select(["w.project_id", "w.engine"])
    .distinct()
    .where("p.is_active", "=", true)
    .$if(projectId !== null, (query) => query.where("w.project_id", "=", projectId as string))
    .limit(limit)
    .execute();

/** Schedules of a target with waiting fires, those with the oldest slots first. */
export const waitingSchedules = async (db: Db, target: WaitingTarget, limit: number): Promise<string[]> => {
  const rows = await db
    .selectFrom("pending_fires")
    .select("schedule_id")
    .where("project_id", "=", target.project_id)
    .where("engine", "=", target.engine)
    .groupBy("schedule_id")
    .orderBy((eb) => eb.fn.min("scheduled_for"))
    .limit(limit)
    .execute();
  return rows.map(({ schedule_id }) => schedule_id);
};

/** Schedules of all projects with expired fires. */
export const schedulesWithExpired = async (db: Db, now: Date, limit: number): Promise<string[]> => {
  const rows = await db
    .selectFrom("pending_fires")
    .select("schedule_id")
    .distinct()
    .where("expires_at", "<=", now)
    .limit(limit)
    .execute();
  return rows.map(({ schedule_id }) => schedule_id);
};

/** The waiting fires of a schedule, locked until the end of the transaction, those with the oldest slots first. */
export const lockWaiting = (tx: Tx<Tables>, scheduleId: string, limit: number): Promise<PendingFireRow[]> =>
  tx
    .selectFrom("pending_fires")
    .selectAll()
    .where("schedule_id", "=", scheduleId)
    .orderBy("scheduled_for")
    .orderBy("fire_id")
    .limit(limit)
    .forUpdate()
    .execute();

/** The newest waiting slot of a definition that has not expired. */
export const newestWaiting = async (
  tx: Tx<Tables>,
  { id, definition_digest }: Pick<ScheduleRow, "id" | "definition_digest">,
  now: Date,
): Promise<Date | null> => {
  const row = await tx
    .selectFrom("pending_fires")
    .select("scheduled_for")
    .where("schedule_id", "=", id)
    .where("definition_digest", "=", definition_digest)
    .where("expires_at", ">", now)
    .orderBy("scheduled_for", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.scheduled_for ?? null;
};
