import { deleteInBatches } from "../../../platform/database/delete-in-batches.ts";
import { newestInstant } from "../../../platform/database/newest.ts";
import { days } from "../../../platform/durations.ts";
import { retentionLoop } from "../../../platform/retention.ts";
import type { Core } from "../../../schema/tables/index.ts";
import { deleteChangesBefore, deleteSkipsBefore } from "./prune-store.ts";

/** Deletes changes that are older than seven days: schedulers that were away longer take a new snapshot. */
export const pruneScheduleChanges = retentionLoop<Core>({
  name: "schedules.changes-retention",
  newest: ({ database }) => newestInstant(database.slow, "schedule_changes", "changed_at"),
  cutoffMs: (base) => base.getTime() - days(7),
  remove: ({ database, signal }, cutoff) =>
    deleteInBatches(signal, (limit) => deleteChangesBefore(database, cutoff, limit)),
});

/** Deletes skipped slots that the count of the last day no longer includes. */
export const pruneScheduleSkips = retentionLoop<Core>({
  name: "schedules.skips-retention",
  newest: ({ database }) => newestInstant(database.slow, "schedule_skips", "skipped_at"),
  cutoffMs: (base) => base.getTime() - days(1),
  remove: ({ database, signal }, cutoff) =>
    deleteInBatches(signal, (limit) => deleteSkipsBefore(database, cutoff, limit)),
});
