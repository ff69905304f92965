import { deleteInBatches } from "../../platform/database/delete-in-batches.ts";
import { newestInstant } from "../../platform/database/newest.ts";
import { days, minutes } from "../../platform/durations.ts";
import type { Loop } from "../../platform/loop.ts";
import { retentionLoop } from "../../platform/retention.ts";
import type { Core } from "../../schema/tables/index.ts";
import type { NativeSchedules } from "./native-schedules.ts";
import { deleteOperationsBefore } from "./operations/operations-store.ts";
import { partsKeptMs } from "./projection/plan.ts";
import { deletePartsBefore, deleteTombstonesBefore } from "./projection/prune-store.ts";

/** Ends operations whose agent disconnected or whose scheduler did not report in time. Safe in every process, since only one wins each row. */
export const settleOperations: Loop<{ nativeSchedules: Pick<NativeSchedules, "settle"> }> = {
  name: "native-schedules.settle",
  everyMs: 5_000,
  leaderOnly: true,
  async tick({ nativeSchedules }) {
    return { ended: await nativeSchedules.settle() };
  },
};

/** Deletes parts of snapshots whose other parts did not arrive in 15 minutes. */
export const pruneSnapshotParts: Loop<Core> = {
  name: "native-schedules.prune-parts",
  everyMs: minutes(5),
  leaderOnly: true,
  removesByAge: true,
  async tick({ database, clock, signal }) {
    const cutoff = new Date(clock.now().getTime() - partsKeptMs);
    return { deleted: await deleteInBatches(signal, (limit) => deletePartsBefore(database, cutoff, limit)) };
  },
};

const keptDays = 30;

/** Deletes the positions of deletions that are older than 30 days. */
export const pruneTombstones = retentionLoop<Core>({
  name: "native-schedules.prune-tombstones",
  newest: ({ database }) => newestInstant(database.slow, "schedule_tombstones", "deleted_at"),
  cutoffMs: (base) => base.getTime() - days(keptDays),
  remove: ({ database, signal }, cutoff) =>
    deleteInBatches(signal, (limit) => deleteTombstonesBefore(database, cutoff, limit)),
});

/** Deletes operations that were requested more than 30 days ago. */
export const pruneOperations = retentionLoop<Core>({
  name: "native-schedules.prune-operations",
  newest: ({ database }) => newestInstant(database.slow, "external_control_operations", "created_at"),
  cutoffMs: (base) => base.getTime() - days(keptDays),
  remove: ({ database, signal }, cutoff) =>
    deleteInBatches(signal, (limit) => deleteOperationsBefore(database, cutoff, limit)),
});
