import { sql } from "kysely";
import { firstOfEach } from "../../../platform/database/dialects/expressions/for-each-given.ts";
import { valuesTable } from "../../../platform/database/dialects/expressions/values-table.ts";
import { findsRow } from "../../../platform/database/results.ts";
import type { Db, MisfireAlertRow, ScheduleFireRow } from "../../../schema/tables/index.ts";
import type { FireStatus, MisfireKind } from "../states.ts";

export const publicFireColumns = [
  "id",
  "fire_id",
  "schedule_id",
  "command_id",
  "status",
  "scheduled_for",
  "fired_at",
  "dispatched_at",
  "acked_at",
  "latency_ms",
  "error_code",
  "error_message",
  "triggered_by_user_id",
  "task_id",
] as const satisfies readonly (keyof ScheduleFireRow)[];
export type PublicFire = WithStatus<Pick<ScheduleFireRow, (typeof publicFireColumns)[number]>>;

type WithStatus<Row> = Omit<Row, "status"> & { readonly status: FireStatus };

export interface ScheduleQuery {
  readonly projectId: string;
  readonly scheduleId: string;
}

export const isSchedule = (db: Db, { projectId, scheduleId }: ScheduleQuery): Promise<boolean> =>
  findsRow(db.selectFrom("schedules").select("id").where("id", "=", scheduleId).where("project_id", "=", projectId));

/** The fires of a schedule, newest first. */
export const newestFires = (db: Db, { projectId, scheduleId }: ScheduleQuery, limit: number): Promise<PublicFire[]> =>
  db
    .selectFrom("schedule_fires")
    .select(publicFireColumns)
    .where("schedule_id", "=", scheduleId)
    .where("project_id", "=", projectId)
    .orderBy("fired_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute() as Promise<PublicFire[]>;

export type Run = Pick<PublicFire, "fire_id" | "status" | "scheduled_for" | "fired_at" | "latency_ms" | "error_code">;

/** The newest fires of each schedule of the project among the ids, newest first, by schedule. A schedule without fires has an empty list. */
export async function newestRuns(
  db: Db,
  { projectId, ids, depth }: { readonly projectId: string; readonly ids: readonly string[]; readonly depth: number },
): Promise<Map<string, Run[]>> {
  const columns = ["id", "fire_id", "status", "scheduled_for", "fired_at", "latency_ms", "error_code"];
  const newest = sql`FROM schedule_fires WHERE schedule_id = given.value ORDER BY fired_at DESC, id DESC`;
  const runs = firstOfEach({ table: "schedule_fires", alias: "run", columns }, newest, depth);
  const isOwn = sql`JOIN schedules AS s ON s.id = given.value AND s.project_id = ${projectId}`;
  const given = valuesTable("uuid", ids);
  // The first part lists the schedules, so that those without fires are known.
  const { rows } = await sql<{ [Column in keyof Run]: Run[Column] | null } & { schedule_id: string }>`
    SELECT s.id AS schedule_id, NULL AS id, NULL AS fire_id, NULL AS status, NULL AS scheduled_for, NULL AS fired_at, NULL AS latency_ms,
        NULL AS error_code
      FROM ${given} ${isOwn}
    UNION ALL SELECT s.id, run.id, run.fire_id, run.status, run.scheduled_for, run.fired_at, run.latency_ms, run.error_code
      FROM ${given} ${isOwn} ${runs}
    ORDER BY fired_at DESC, id DESC`.execute(db);
  const found = new Map<string, Run[]>();
  for (const { schedule_id, fire_id, status, scheduled_for, fired_at, latency_ms, error_code } of rows) {
    const of = found.get(schedule_id) ?? [];
    found.set(schedule_id, of);
    if (fire_id !== null) of.push({ fire_id, status, scheduled_for, fired_at, latency_ms, error_code } as Run);
  }
  return found;
}

const misfireColumns = [
  "schedule_id",
  "misfire_kind",
  "detected_at",
  "expected_fire_at",
  "lateness_seconds",
  "grace_seconds",
  "name",
  "engine",
  "kind",
] as const satisfies readonly (keyof MisfireAlertRow)[];
export type Misfire = Omit<Pick<MisfireAlertRow, (typeof misfireColumns)[number]>, "misfire_kind"> & {
  readonly misfire_kind: MisfireKind;
};

/** Misfires of a project, or of one of its schedules, newest first. */
export const newestMisfires = (
  db: Db,
  { projectId, scheduleId }: { readonly projectId: string; readonly scheduleId: string | null },
  limit: number,
): Promise<Misfire[]> =>
  db
    .selectFrom("misfire_alerts")
    .select(misfireColumns)
    .where("project_id", "=", projectId)
    .$if(scheduleId !== null, (query) => query.where("schedule_id", "=", scheduleId as string))
    .orderBy("detected_at", "desc")
    .orderBy("expected_fire_at", "desc")
    .orderBy("schedule_id")
    .orderBy("misfire_kind")
    .limit(limit)
    .execute() as Promise<Misfire[]>;
