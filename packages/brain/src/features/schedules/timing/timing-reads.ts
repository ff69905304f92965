import type { Db, ScheduleRow } from "../../../schema/tables/index.ts";
import { ownScheduler } from "../slots.ts";

/** What a forecast needs of a schedule. */
export type Timed = Pick<ScheduleRow, "id" | "name" | "kind" | "expression" | "timezone" | "next_run_at">;

/** The schedules of a project that will fire, by name, at most `limit`. */
export const firingSchedules = (db: Db, projectId: string, limit: number): Promise<Timed[]> =>
  db
    .selectFrom("schedules")
    .select(["id", "name", "kind", "expression", "timezone", "next_run_at"])
    .where("project_id", "=", projectId)
    .where("scheduler", "=", ownScheduler)
    .where("next_run_at", "is not", null)
    .orderBy("name")
    .orderBy("id")
    .limit(limit)
    .execute();
