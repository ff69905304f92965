import { sql } from "kysely";
import type { Tx } from "../../../platform/database/database.ts";
import { selectForEach } from "../../../platform/database/dialects/expressions/for-each-given.ts";
import type { Db, MisfireAlertRow, ScheduleFireRow, ScheduleRow, Tables } from "../../../schema/tables/index.ts";
import { ownScheduler } from "../../schedules/index.ts";

const factColumns = ["s.id", "s.project_id", "s.name", "s.engine", "s.kind"] as const;
export type ScheduleFacts = Pick<ScheduleRow, "id" | "project_id" | "name" | "engine" | "kind">;

const active = (db: Db) =>
  db
    .selectFrom("schedules as s")
    .innerJoin("projects as p", "p.id", "s.project_id")
    .where("p.is_active", "=", true)
    .where("s.scheduler", "=", ownScheduler);

/** Schedules that should have fired by `due` and did not, without those whose slot is already known as missed. Oldest slots first. */
export const missedSlots = (
  db: Db,
  due: Date,
  limit: number,
): Promise<(ScheduleFacts & { next_run_at: Date | null })[]> =>
  active(db)
    .select([...factColumns, "s.next_run_at"])
    .where("s.next_run_at", "<", due)
    .where("s.is_enabled", "=", true)
    .where("s.paused_at", "is", null)
    .where("s.kind", "in", ["cron", "interval"])
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("misfire_alerts as known")
            .select("known.schedule_id")
            .whereRef("known.schedule_id", "=", "s.id")
            .whereRef("known.expected_fire_at", "=", "s.next_run_at")
            .where("known.misfire_kind", "=", "missed_slot"),
        ),
      ),
    )
    .orderBy("s.next_run_at")
    .limit(limit)
    .execute();

export type LimitedSchedule = ScheduleFacts & Pick<ScheduleRow, "late_start_seconds" | "long_run_seconds">;

/** Schedules with a limit for late starts or long runs, by id, after `after`. */
export const limitedSchedules = (db: Db, after: string | null, limit: number): Promise<LimitedSchedule[]> =>
  active(db)
    .select([...factColumns, "s.late_start_seconds", "s.long_run_seconds"])
    .where((eb) => eb.or([eb("s.late_start_seconds", "is not", null), eb("s.long_run_seconds", "is not", null)]))
    .$if(after !== null, (query) => query.where("s.id", ">", after as string))
    .orderBy("s.id")
    .limit(limit)
    .execute();

/** Newest fires of a schedule that are checked at once. */
const checkedFires = 500;

export type StartedFire = Pick<
  ScheduleFireRow,
  "schedule_id" | "scheduled_for" | "dispatched_at" | "acked_at" | "status"
>;

/** For each pair of a schedule and an instant, its newest fires since then. */
export async function firesSince(db: Db, pairs: readonly (readonly [string, Date])[]): Promise<StartedFire[]> {
  if (pairs.length === 0) return [];
  const { rows } = await selectForEach<StartedFire>(
    "schedule_id",
    ["uuid", "timestamptz"],
    pairs,
    (id, since) => sql`SELECT * FROM (
      SELECT scheduled_for, dispatched_at, acked_at, status FROM schedule_fires
      WHERE schedule_id = ${id} AND fired_at >= ${since} ORDER BY fired_at DESC LIMIT ${checkedFires}) AS newest`,
  ).execute(db);
  return rows;
}

export interface RunningFire {
  readonly schedule_id: string;
  readonly scheduled_for: Date;
  readonly started_at: Date;
}

/** For each pair of a schedule and an instant, its fires since then whose task runs now. */
export async function runningSince(db: Db, pairs: readonly (readonly [string, Date])[]): Promise<RunningFire[]> {
  if (pairs.length === 0) return [];
  const { rows } = await selectForEach<RunningFire>(
    "schedule_id",
    ["uuid", "timestamptz"],
    pairs,
    (id, since) => sql`SELECT acked.scheduled_for, t.started_at FROM (
        SELECT project_id, engine, task_id, scheduled_for FROM schedule_fires
        WHERE schedule_id = ${id} AND fired_at >= ${since} AND status = 'acked_success' AND task_id IS NOT NULL
        ORDER BY fired_at DESC LIMIT ${checkedFires}) AS acked
      JOIN tasks AS t ON t.project_id = acked.project_id AND t.engine = acked.engine AND t.task_id = acked.task_id
      WHERE t.state = 'started' AND t.started_at IS NOT NULL`,
  ).execute(db);
  return rows;
}

/** Stores misfires; returns those that were not known. */
export const insertMisfires = (tx: Tx<Tables>, rows: readonly MisfireAlertRow[]): Promise<MisfireAlertRow[]> =>
  tx
    .insertInto("misfire_alerts")
    .values(rows)
    .onConflict((conflict) => conflict.columns(["schedule_id", "expected_fire_at", "misfire_kind"]).doNothing())
    .returningAll()
    .execute();
