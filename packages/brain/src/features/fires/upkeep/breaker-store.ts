import { sql } from "kysely";
import { firstOfEach } from "../../../platform/database/dialects/expressions/for-each-given.ts";
import { valuesTable } from "../../../platform/database/dialects/expressions/values-table.ts";
import type { Db } from "../../../schema/tables/index.ts";
import { ownScheduler } from "../../schedules/index.ts";
import { failedFireStatuses } from "../states.ts";

const failed = sql.join(failedFireStatuses.map((status) => sql.lit(status)));

/** Schedules with a fire since `since` that failed, by id, after `after`. */
export async function schedulesWithFailures(
  db: Db,
  { since, after, limit }: { readonly since: Date; readonly after: string | null; readonly limit: number },
): Promise<string[]> {
  const following = after === null ? sql`` : sql`AND schedule_id > ${after}`;
  const { rows } = await sql<{ schedule_id: string }>`SELECT DISTINCT schedule_id FROM schedule_fires
    WHERE status IN (${failed}) AND fired_at >= ${since} ${following} ORDER BY schedule_id LIMIT ${limit}`.execute(db);
  return rows.map(({ schedule_id }) => schedule_id);
}

/**
 * Those of the schedules that are enabled and whose newest `threshold` fires all failed, the newest one since the schedule was last changed:
 * a schedule that was enabled again has another attempt.
 */
export async function failingSchedules(db: Db, ids: readonly string[], threshold: number): Promise<string[]> {
  if (ids.length === 0) return [];
  const newest = sql`FROM schedule_fires WHERE schedule_id = s.id ORDER BY fired_at DESC, id DESC`;
  const fires = firstOfEach(
    { table: "schedule_fires", alias: "fire", columns: ["id", "status", "fired_at"] },
    newest,
    threshold,
  );
  const { rows } = await sql<{ id: string }>`SELECT s.id FROM ${valuesTable("uuid", ids)}
    JOIN schedules AS s ON s.id = given.value ${fires}
    WHERE s.scheduler = ${ownScheduler} AND s.is_enabled = ${true}
    GROUP BY s.id, s.updated_at
    HAVING sum(CASE WHEN fire.status IN (${failed}) THEN 1 ELSE 0 END) = ${threshold} AND max(fire.fired_at) > s.updated_at`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}
