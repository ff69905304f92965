import { retentionHorizonMs } from "@svc/protocol";
import type { Clock } from "../../platform/clock.ts";
import { newestInstant } from "../../platform/database/newest.ts";
import type { Loop } from "../../platform/loop.ts";
import { retentionBase } from "../../platform/retention.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { deleteOldDepths, depthsKeptMs } from "./depth-store.ts";
import { deleteUnseenQueues, newestSeenQueue } from "./store.ts";

const rowsPerBatch = 5000;

/** Deletes queues that no event and no agent has named for as long as tasks are kept. Leader only: one replica is enough for it. */
export const pruneQueues: Loop<{
  database: BrainDatabase;
  clock: Pick<Clock, "now">;
  settings: { SVC_TASK_RETENTION_DAYS: number };
}> = {
  name: "queues.retention",
  everyMs: 3_600_000,
  leaderOnly: true,
  removesByAge: true,
  async tick({ database, clock, settings, signal }) {
    const base = retentionBase(clock.now(), await newestSeenQueue(database));
    if (base === null) return { deleted: 0 };
    const cutoff = new Date(retentionHorizonMs(base, settings.SVC_TASK_RETENTION_DAYS));
    let deleted = 0;
    for (let batch = rowsPerBatch; batch === rowsPerBatch && !signal.aborted; ) {
      batch = await deleteUnseenQueues(database, cutoff, rowsPerBatch);
      deleted += batch;
    }
    return { deleted };
  },
};

/** Deletes depths that are older than charts of them reach. Leader only: one replica is enough for it. */
export const pruneQueueDepths: Loop<{ database: BrainDatabase; clock: Pick<Clock, "now"> }> = {
  name: "queues.depths-retention",
  everyMs: 600_000,
  leaderOnly: true,
  removesByAge: true,
  async tick({ database, clock, signal }) {
    const base = retentionBase(clock.now(), await newestInstant(database.slow, "queue_depths", "cell_at"));
    if (base === null) return { deleted: 0 };
    const cutoff = new Date(base.getTime() - depthsKeptMs);
    let deleted = 0;
    for (let batch = rowsPerBatch; batch === rowsPerBatch && !signal.aborted; ) {
      batch = await deleteOldDepths(database, cutoff, rowsPerBatch);
      deleted += batch;
    }
    return { deleted };
  },
};
