import { retentionHorizonMs } from "@svc/protocol";
import { deleteInBatches } from "../../platform/database/delete-in-batches.ts";
import { newestInstant } from "../../platform/database/newest.ts";
import type { Loop } from "../../platform/loop.ts";
import { hourlyRetention, retentionBase } from "../../platform/retention.ts";
import type { Core } from "../../schema/tables/index.ts";
import { hoursBegin } from "./counters/buckets.ts";
import { nameNotedMs } from "./counters/fold-counters.ts";
import {
  deleteNameRollupsBefore,
  deleteNamesBefore,
  deleteReleasesBefore,
  deleteRollupsBefore,
  deleteWorkerRollupsBefore,
  newestBucket,
} from "./counters/prune-store.ts";
import { releaseNotedMs } from "./releases/releases.ts";

const grains = [1, 60];
const nameGrains = [15, 60, 1440];

/** Deletes counters that are older than the task retention. Leader only, like the folding. */
export const pruneRollups: Loop<Core & { settings: { SVC_TASK_RETENTION_DAYS: number } }> = {
  name: "stats.retention",
  ...hourlyRetention,
  async tick({ database, clock, settings, signal }) {
    const now = clock.now();
    const { slow } = database;
    const cutoffOf = (base: Date) => new Date(retentionHorizonMs(base, settings.SVC_TASK_RETENTION_DAYS));

    async function counters(): Promise<number> {
      const base = retentionBase(now, await newestBucket(slow, "rollups", grains));
      let deleted = 0;
      for (const grain of base === null ? [] : grains)
        deleted += await deleteInBatches(signal, (limit) =>
          deleteRollupsBefore(database, grain, cutoffOf(base!), limit),
        );
      return deleted;
    }

    async function byName(): Promise<number> {
      const base = retentionBase(now, await newestBucket(slow, "name_rollups", nameGrains));
      if (base === null) return 0;
      const [cutoff, hours] = [cutoffOf(base), hoursBegin(base)];
      let deleted = 0;
      for (const grain of nameGrains) {
        const until = grain === 1440 || hours < cutoff ? cutoff : hours;
        deleted += await deleteInBatches(signal, (limit) => deleteNameRollupsBefore(database, grain, until, limit));
      }
      return deleted;
    }

    async function ofWorkers(): Promise<number> {
      const base = retentionBase(now, await newestInstant(slow, "worker_rollups", "hour_at"));
      if (base === null) return 0;
      return deleteInBatches(signal, (limit) => deleteWorkerRollupsBefore(database, cutoffOf(base), limit));
    }

    /** Removes rows whose last use is recorded only at intervals: they may have been used for one more interval. */
    async function noted(newest: Date | null, everyMs: number, remove: (cutoff: Date) => Promise<number>) {
      const base = retentionBase(now, newest);
      return base === null || signal.aborted ? 0 : remove(new Date(cutoffOf(base).getTime() - everyMs));
    }

    const rollups = (await counters()) + (await byName());
    const workers = await ofWorkers();
    const names = await noted(await newestInstant(slow, "rollup_names", "seen_at"), nameNotedMs, (cutoff) =>
      deleteNamesBefore(database, cutoff),
    );
    const releases = await noted(await newestInstant(slow, "releases", "noted_at"), releaseNotedMs, (cutoff) =>
      deleteReleasesBefore(database, cutoff),
    );
    return { rollups, workers, names, releases };
  },
};
