import { sql } from "kysely";
import { isAmong, valuesTable } from "../../platform/database/dialects/expressions/values-table.ts";
import { toMicros } from "../../platform/database/values/instants.ts";
import type { Db } from "../../schema/tables/index.ts";

type Ids = readonly string[];

export interface ProjectCount {
  readonly project_id: string;
  readonly count: number;
}

/** Misfires of each project that were detected at `from` or later, counted up to `limit` in each. */
export async function recentMisfires(slow: Db, ids: Ids, from: Date, limit: number): Promise<ProjectCount[]> {
  const { rows } = await sql<ProjectCount>`SELECT given.value AS project_id, (SELECT count(*) FROM (
      SELECT 1 FROM misfire_alerts WHERE project_id = given.value AND detected_at >= ${from} LIMIT ${limit}) AS counted) AS count
    FROM ${valuesTable("uuid", ids)}`.execute(slow);
  return rows.map(({ project_id, count }) => ({ project_id, count: Number(count) }));
}

/** The newest `limit` schedules that the circuit breaker disabled at `from` or later; some may be enabled again. */
export async function trippedSchedules(slow: Db, ids: Ids, from: Date, limit: number): Promise<string[]> {
  const rows = await slow
    .selectFrom("audit_log")
    .select("target_id")
    .where("action", "=", "schedule.circuit_breaker.tripped")
    .where("occurred_us", ">=", toMicros(from))
    .where(isAmong("project_id", "uuid", ids))
    .orderBy("occurred_us", "desc")
    .limit(limit)
    .execute();
  return [...new Set(rows.flatMap(({ target_id }) => target_id ?? []))];
}

/** How many of these schedules are disabled, by project. */
export const disabledAmong = async (slow: Db, schedules: Ids): Promise<ProjectCount[]> => {
  const rows = await slow
    .selectFrom("schedules")
    .select((eb) => ["project_id", eb.fn.countAll<number>().as("count")])
    .where(isAmong("id", "uuid", schedules))
    .where("is_enabled", "=", false)
    .groupBy("project_id")
    .execute();
  return rows.map(({ project_id, count }) => ({ project_id, count: Number(count) }));
};
