import { affectedRows } from "../../../platform/database/results.ts";
import type { BrainDatabase } from "../../../schema/tables/index.ts";

type Writes = Pick<BrainDatabase, "write">;

/** Deletes at most `limit` changes before `cutoff`, the oldest first, and returns how many. The rest stays without holes. */
export const deleteChangesBefore = ({ write }: Writes, cutoff: Date, limit: number): Promise<number> =>
  write((tx) =>
    affectedRows(
      tx
        .deleteFrom("schedule_changes")
        .where("revision", "in", (eb) =>
          eb
            .selectFrom("schedule_changes")
            .select("revision")
            .where("changed_at", "<", cutoff)
            .orderBy("revision")
            .limit(limit),
        ),
    ),
  );

/** Deletes at most `limit` skips before `cutoff` and returns how many. */
export const deleteSkipsBefore = ({ write }: Writes, cutoff: Date, limit: number): Promise<number> =>
  write((tx) =>
    affectedRows(
      tx
        .deleteFrom("schedule_skips")
        .where("id", "in", (eb) =>
          eb
            .selectFrom("schedule_skips")
            .select("id")
            .where("skipped_at", "<", cutoff)
            .orderBy("skipped_at")
            .limit(limit),
        ),
    ),
  );
