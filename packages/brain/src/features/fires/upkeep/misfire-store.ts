import { type ExpressionBuilder, type RawBuilder, sql } from "kysely";
import type { Tx } from "../../../platform/database/database.ts";
import { firstOfEach, selectForEach } from "../../../platform/database/dialects/expressions/for-each-given.ts";
import { secondsLater } from "../../../platform/database/dialects/expressions/time-buckets.ts";
import { isAmong, typed } from "../../../platform/database/dialects/expressions/values-table.ts";
import type { Db, MisfireAlertRow, ScheduleRow, Tables } from "../../../schema/tables/index.ts";
import { ownScheduler } from "../../schedules/index.ts";
import { type MisfireKind, openFireStatuses } from "../states.ts";

const factColumns = ["s.id", "s.project_id", "s.name", "s.engine", "s.kind"] as const;
export type ScheduleFacts = Pick<ScheduleRow, "id" | "project_id" | "name" | "engine" | "kind">;

const active = (db: Db) =>
  db
    .selectFrom("schedules as s")
    .innerJoin("projects as p", "p.id", "s.project_id")
    .where("p.is_active", "=", true)
    .where("s.scheduler", "=", ownScheduler);

/** A schedule that should have fired and did not. */
export type OverdueSchedule = ScheduleFacts &
  Pick<ScheduleRow, "expression" | "timezone" | "next_run_at"> & {
    /** The newest slot since the cursor that is reported as missed; null for none. */
    readonly newest_missed_at: Date | null;
    /** How many slots since the cursor are reported as missed. */
    readonly missed: number;
  };

/** Place of a schedule in the order of the sweep. */
export type OverduePlace = Pick<ScheduleRow, "id" | "next_run_at">;

/** Schedules whose next slot is before `due`, those with the oldest slots first, after a place in that order. */
export async function overdueSchedules(
  db: Db,
  { due, after, limit }: { readonly due: Date; readonly after: OverduePlace | null; readonly limit: number },
): Promise<OverdueSchedule[]> {
  const rows = await active(db)
    .select([...factColumns, "s.expression", "s.timezone", "s.next_run_at"])
    .select((eb) => [
      missedOf(eb)
        .select((of) => of.fn.max("m.expected_fire_at").as("newest"))
        .as("newest_missed_at"),
      missedOf(eb)
        .select((of) => of.fn.countAll<number>().as("count"))
        .as("missed"),
    ])
    .where("s.next_run_at", "<", due)
    .where("s.is_enabled", "=", true)
    .where("s.paused_at", "is", null)
    .where("s.kind", "in", ["cron", "interval"])
    .$if(after !== null, (query) =>
      query.where((eb) =>
        eb(eb.refTuple("s.next_run_at", "s.id"), ">", eb.tuple(after?.next_run_at ?? null, after?.id ?? "")),
      ),
    )
    .orderBy("s.next_run_at")
    .orderBy("s.id")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, missed: Number(row.missed) }));
}

const missedOf = (eb: ExpressionBuilder<Tables & { s: Tables["schedules"] }, "s">) =>
  eb
    .selectFrom("misfire_alerts as m")
    .whereRef("m.schedule_id", "=", "s.id")
    .whereRef("m.expected_fire_at", ">=", "s.next_run_at")
    .where("m.misfire_kind", "=", "missed_slot");

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

/** A fire over a limit of its schedule. */
export interface Overrun {
  readonly schedule_id: string;
  readonly scheduled_for: Date;
  readonly started_at: Date;
}

const isReported = (kind: MisfireKind, schedule: RawBuilder<unknown>, slot: RawBuilder<unknown>) =>
  sql`EXISTS (SELECT 1 FROM misfire_alerts AS known
    WHERE known.schedule_id = ${schedule} AND known.expected_fire_at = ${slot} AND known.misfire_kind = ${sql.lit(kind)})`;

/**
 * For each pair of a schedule and an instant, its oldest fires since then that started too late, or should have started, and are not
 * reported: at most `limit` of each schedule.
 */
export async function lateStarts(
  db: Db,
  pairs: readonly (readonly [string, Date])[],
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<(Overrun & { readonly fired_at: Date })[]> {
  if (pairs.length === 0) return [];
  const open = sql.join(openFireStatuses.map((status) => sql.lit(status)));
  const startedAt = sql`COALESCE(f.dispatched_at, f.acked_at, ${typed(sql`${now}`, "timestamptz")})`;
  const { rows } = await selectForEach<Overrun & { readonly fired_at: Date }>(
    "schedule_id",
    ["uuid", "timestamptz"],
    pairs,
    (id, since) => sql`SELECT * FROM (
      SELECT f.scheduled_for, f.fired_at, ${startedAt} AS started_at FROM schedule_fires AS f
      WHERE f.schedule_id = ${id} AND f.fired_at >= ${since}
        AND (f.dispatched_at IS NOT NULL OR f.acked_at IS NOT NULL OR f.status IN (${open}))
        AND ${startedAt} > ${secondsLater(sql`f.scheduled_for`, sql`(SELECT late_start_seconds FROM schedules WHERE id = ${id})`)}
        AND NOT ${isReported("late_start", id, sql`f.scheduled_for`)}
      ORDER BY f.fired_at LIMIT ${limit}) AS late`,
  ).execute(db);
  return rows;
}

/**
 * Tasks of these schedules that run for too long and are not reported, at most `limit`. Found from the running tasks of their projects: those
 * over the smallest limit are few, while a schedule may have many fires.
 */
export async function longRuns(
  db: Db,
  schedules: readonly LimitedSchedule[],
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<Overrun[]> {
  const limited = schedules.flatMap(({ long_run_seconds, ...schedule }) =>
    long_run_seconds === null ? [] : { ...schedule, seconds: long_run_seconds },
  );
  if (limited.length === 0) return [];
  const startedBefore = new Date(now.getTime() - Math.min(...limited.map(({ seconds }) => seconds)) * 1000);
  const isOfProject = isAmong("t.project_id", "uuid", [...new Set(limited.map(({ project_id }) => project_id))]);
  const isLimited = isAmong("s.id", "uuid", [...new Set(limited.map(({ id }) => id))]);
  const fire = firstOfEach(
    { table: "schedule_fires", alias: "f", columns: ["schedule_id", "scheduled_for"] },
    sql`FROM schedule_fires WHERE project_id = t.project_id AND engine = t.engine AND task_id = t.task_id AND status = 'acked_success'`,
    1,
  );
  const { rows } = await sql<Overrun>`SELECT f.schedule_id, f.scheduled_for, t.started_at FROM (
      SELECT t.project_id, t.engine, t.task_id, t.started_at FROM tasks AS t
      WHERE ${isOfProject} AND t.state = 'started' AND t.started_at < ${startedBefore}) AS t
    ${fire} JOIN schedules AS s ON s.id = f.schedule_id
    WHERE ${isLimited} AND ${typed(sql`${now}`, "timestamptz")} > ${secondsLater(sql`t.started_at`, sql`s.long_run_seconds`)}
      AND NOT ${isReported("long_run", sql`f.schedule_id`, sql`f.scheduled_for`)}
    LIMIT ${limit}`.execute(db);
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
