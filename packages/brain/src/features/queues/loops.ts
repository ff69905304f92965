import { retentionHorizonMs } from "@svc/protocol";
import type { Clock } from "../../platform/clock.ts";
import { deleteInBatches } from "../../platform/database/delete-in-batches.ts";
import { newestInstant } from "../../platform/database/newest.ts";
import { hours, minutes } from "../../platform/durations.ts";
import type { Loop } from "../../platform/loop.ts";
import { retentionBase } from "../../platform/retention.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { deleteOldDepths, depthsKeptMs } from "./depth-store.ts";
import { deleteUnseenQueues, newestSeenQueue } from "./store.ts";

/** Deletes queues that no event and no agent has named for as long as tasks are kept. Leader only: one replica is enough for it. */
export const pruneQueues: Loop<{
  database: BrainDatabase;
  clock: Pick<Clock, "now">;
  settings: { SVC_TASK_RETENTION_DAYS: number };
}> = {
  name: "queues.retention",
  everyMs: hours(1),
  leaderOnly: true,
  removesByAge: true,
  async tick({ database, clock, settings, signal }) {
    const base = retentionBase(clock.now(), await newestSeenQueue(database));
    if (base === null) return { deleted: 0 };
    const cutoff = new Date(retentionHorizonMs(base, settings.SVC_TASK_RETENTION_DAYS));
    return { deleted: await deleteInBatches(signal, (limit) => deleteUnseenQueues(database, cutoff, limit)) };
  },
};

/** Deletes depths that are older than charts of them reach. Leader only: one replica is enough for it. */
export const pruneQueueDepths: Loop<{ database: BrainDatabase; clock: Pick<Clock, "now"> }> = {
  name: "queues.depths-retention",
  everyMs: minutes(10),
  leaderOnly: true,
  removesByAge: true,
  async tick({ database, clock, signal }) {
    const base = retentionBase(clock.now(), await newestInstant(database.slow, "queue_depths", "cell_at"));
    if (base === null) return { deleted: 0 };
    const cutoff = new Date(base.getTime() - depthsKeptMs);
    return { deleted: await deleteInBatches(signal, (limit) => deleteOldDepths(database, cutoff, limit)) };
  },
};
