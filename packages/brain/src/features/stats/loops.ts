import { retentionHorizonMs } from "@svc/protocol";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Loop } from "../../platform/loop.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { nameNotedMs } from "./fold-counters.ts";
import {
  deleteNameRollupsBefore,
  deleteNamesBefore,
  deleteReleasesBefore,
  deleteRollupsBefore,
  deleteWorkerRollupsBefore,
} from "./prune-store.ts";
import { releaseNotedMs } from "./releases.ts";
import { hoursBegin } from "./time-range.ts";

const rowsPerBatch = 5000;
const grains = [1, 60];

/** Drops counters that are older than task rows may be. Leader only, as the folding is. */
export const pruneRollups: Loop<{
  database: Database<Tables>;
  clock: Pick<Clock, "now">;
  settings: { SVC_TASK_RETENTION_DAYS: number };
}> = {
  name: "stats.retention",
  everyMs: 3_600_000,
  leaderOnly: true,
  async tick({ database, clock, settings, signal }) {
    const now = clock.now();
    const cutoff = new Date(retentionHorizonMs(now, settings.SVC_TASK_RETENTION_DAYS));

    async function inBatches(deleteBatch: () => Promise<number>): Promise<number> {
      let deleted = 0;
      for (let batch = rowsPerBatch; batch === rowsPerBatch && !signal.aborted; ) {
        batch = await deleteBatch();
        deleted += batch;
      }
      return deleted;
    }

    let rollups = 0;
    for (const grain of grains) {
      rollups += await inBatches(() => deleteRollupsBefore(database, grain, cutoff, rowsPerBatch));
    }
    const hours = hoursBegin(now);
    for (const grain of [15, 60]) {
      rollups += await inBatches(() =>
        deleteNameRollupsBefore(database, grain, hours > cutoff ? hours : cutoff, rowsPerBatch),
      );
    }
    rollups += await inBatches(() => deleteNameRollupsBefore(database, 1440, cutoff, rowsPerBatch));
    const workers = await inBatches(() => deleteWorkerRollupsBefore(database, cutoff, rowsPerBatch));
    // A name noted a day before the cutoff may have been counted until then.
    const unused = new Date(cutoff.getTime() - nameNotedMs);
    const names = signal.aborted ? 0 : await deleteNamesBefore(database, unused);
    const releases = signal.aborted
      ? 0
      : await deleteReleasesBefore(database, new Date(cutoff.getTime() - releaseNotedMs));
    return { rollups, workers, names, releases };
  },
};
