import { sql } from "kysely";
import { affectedRows, findsRow } from "../../../platform/database/results.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";
import { openFireStatuses } from "../states.ts";

type Reader = Pick<BrainDatabase, "slow">;
type Pruner = Pick<BrainDatabase, "slow" | "write">;

/** Whether a fire that was recorded in this time is open. */
export const isAnyOpen = ({ slow }: Reader, from: Date, until: Date): Promise<boolean> =>
  findsRow(
    slow
      .selectFrom("schedule_fires")
      .select("id")
      .where("fired_at", ">=", from)
      .where("fired_at", "<", until)
      .where("status", "in", [...openFireStatuses])
      .limit(1),
  );

/** Deletes at most `limit` fires of a project that were recorded before the cutoff and have ended. For SQLite, which has no partitions. */
export const deleteFiresBefore = ({ write }: Pruner, projectId: string, cutoff: Date, limit: number): Promise<number> =>
  write((tx) =>
    affectedRows(
      tx
        .deleteFrom("schedule_fires")
        .where("id", "in", (eb) =>
          eb
            .selectFrom("schedule_fires")
            .select("id")
            .where("project_id", "=", projectId)
            .where("fired_at", "<", cutoff)
            .where("status", "not in", [...openFireStatuses])
            .orderBy("fired_at")
            .limit(limit),
        )
        .where("project_id", "=", projectId)
        .where("fired_at", "<", cutoff),
    ),
  );

/** Deletes at most `limit` ids of fires before the cutoff whose rows no longer exist. */
export const deleteFireIdsBefore = ({ write }: Pruner, cutoff: Date, limit: number): Promise<number> =>
  write(async (tx) => {
    const { numAffectedRows } = await sql`DELETE FROM schedule_fire_ids WHERE fire_id IN (
      SELECT i.fire_id FROM schedule_fire_ids AS i WHERE i.fired_at < ${cutoff} AND NOT EXISTS (
        SELECT 1 FROM schedule_fires AS f
        WHERE f.schedule_id = i.schedule_id AND f.fired_at = i.fired_at AND f.fire_id = i.fire_id)
      LIMIT ${limit})`.execute(tx);
    return Number(numAffectedRows);
  });

/** Deletes at most `limit` misfires that were detected before the cutoff. */
export const deleteMisfiresBefore = ({ write }: Pruner, cutoff: Date, limit: number): Promise<number> =>
  write(async (tx) => {
    const { numAffectedRows } = await sql`DELETE FROM misfire_alerts
      WHERE (schedule_id, expected_fire_at, misfire_kind) IN (
        SELECT schedule_id, expected_fire_at, misfire_kind FROM misfire_alerts WHERE detected_at < ${cutoff} LIMIT ${limit})`.execute(
      tx,
    );
    return Number(numAffectedRows);
  });

export const projectIds = async ({ slow }: Reader): Promise<string[]> =>
  (await slow.selectFrom("projects").select("id").execute()).map(({ id }) => id);
