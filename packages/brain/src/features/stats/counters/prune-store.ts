import { rowAddress } from "../../../platform/database/dialects/expressions/row-address.ts";
import { affectedRows } from "../../../platform/database/results.ts";
import type { BrainDatabase, Db } from "../../../schema/tables/index.ts";

/** Deletes at most `limit` rollups of one grain that start before `cutoff`, and returns how many. */
export const deleteRollupsBefore = (
  db: BrainDatabase,
  grainMinutes: number,
  cutoff: Date,
  limit: number,
): Promise<number> => deleteGrainBefore(db, "rollups", { grainMinutes, cutoff, limit });

/** The same for figures by name. */
export const deleteNameRollupsBefore = (
  db: BrainDatabase,
  grainMinutes: number,
  cutoff: Date,
  limit: number,
): Promise<number> => deleteGrainBefore(db, "name_rollups", { grainMinutes, cutoff, limit });

const deleteGrainBefore = (
  { write }: BrainDatabase,
  table: "rollups" | "name_rollups",
  { grainMinutes, cutoff, limit }: { grainMinutes: number; cutoff: Date; limit: number },
): Promise<number> =>
  write((tx) =>
    affectedRows(
      tx
        .deleteFrom(table)
        .where(rowAddress, "in", (eb) =>
          eb
            .selectFrom(table)
            .select(rowAddress.as("place"))
            .where("grain_minutes", "=", grainMinutes)
            .where("bucket_at", "<", cutoff)
            .orderBy("bucket_at")
            .limit(limit),
        ),
    ),
  );

/** Start of the newest rollup of these grains; null when there is none. */
export async function newestBucket(
  slow: Db,
  table: "rollups" | "name_rollups",
  grains: readonly number[],
): Promise<Date | null> {
  let newest: Date | null = null;
  // One lookup at the end of the index per grain.
  for (const grain of grains) {
    const row = await slow
      .selectFrom(table)
      .select("bucket_at")
      .where("grain_minutes", "=", grain)
      .orderBy("bucket_at", "desc")
      .limit(1)
      .executeTakeFirst();
    if (row !== undefined && (newest === null || row.bucket_at > newest)) newest = row.bucket_at;
  }
  return newest;
}

/** Deletes at most `limit` counts of workers from hours before `cutoff`, and returns how many. */
export const deleteWorkerRollupsBefore = ({ write }: BrainDatabase, cutoff: Date, limit: number): Promise<number> =>
  write((tx) =>
    affectedRows(
      tx
        .deleteFrom("worker_rollups")
        .where(rowAddress, "in", (eb) =>
          eb
            .selectFrom("worker_rollups")
            .select(rowAddress.as("place"))
            .where("hour_at", "<", cutoff)
            .orderBy("hour_at")
            .limit(limit),
        ),
    ),
  );

/** Deletes names that were last counted before `cutoff`, to free places for others; at most a thousand per project exist. */
export const deleteNamesBefore = ({ write }: BrainDatabase, cutoff: Date): Promise<number> =>
  write((tx) => affectedRows(tx.deleteFrom("rollup_names").where("seen_at", "<", cutoff)));

/** Deletes releases that were last recorded before `cutoff`; at most a thousand per project exist. */
export const deleteReleasesBefore = ({ write }: BrainDatabase, cutoff: Date): Promise<number> =>
  write((tx) => affectedRows(tx.deleteFrom("releases").where("noted_at", "<", cutoff)));
