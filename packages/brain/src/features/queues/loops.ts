import { retentionHorizonMs } from "@svc/protocol";
import { deleteInBatches } from "../../platform/database/delete-in-batches.ts";
import { newestInstant } from "../../platform/database/newest.ts";
import { minutes } from "../../platform/durations.ts";
import { retentionLoop } from "../../platform/retention.ts";
import type { Core } from "../../schema/tables/index.ts";
import { deleteOldDepths, depthsKeptMs } from "./depth-store.ts";
import { unseenQueues } from "./unseen-store.ts";

/** Deletes queues that no event or agent has named within the task retention. */
export const pruneQueues = retentionLoop<Core & { settings: { SVC_TASK_RETENTION_DAYS: number } }>({
  name: "queues.retention",
  newest: ({ database }) => unseenQueues.newest(database),
  cutoffMs: (base, { settings }) => retentionHorizonMs(base, settings.SVC_TASK_RETENTION_DAYS),
  remove: ({ database, signal }, cutoff) =>
    deleteInBatches(signal, (limit) => unseenQueues.remove(database, cutoff, limit)),
});

/** Deletes depths older than the charts show. */
export const pruneQueueDepths = retentionLoop<Core>({
  name: "queues.depths-retention",
  everyMs: minutes(10),
  newest: ({ database }) => newestInstant(database.slow, "queue_depths", "cell_at"),
  cutoffMs: (base) => base.getTime() - depthsKeptMs,
  remove: ({ database, signal }, cutoff) =>
    deleteInBatches(signal, (limit) => deleteOldDepths(database, cutoff, limit)),
});
