import { deleteInBatches } from "../../platform/database/delete-in-batches.ts";
import {
  dayOf,
  dropPartitions,
  startOf,
} from "../../platform/database/dialects/postgres/partitions/daily-partitions.ts";
import { newestInstant, newestOfEach } from "../../platform/database/newest.ts";
import { days } from "../../platform/durations.ts";
import type { Loop } from "../../platform/loop.ts";
import { hourlyRetention, retentionBase, retentionLoop } from "../../platform/retention.ts";
import type { BrainDatabase, Core } from "../../schema/tables/index.ts";
import type { Fires } from "./fires.ts";
import { firePartitions, firesTable } from "./firing/partitions.ts";
import {
  deleteFireIdsBefore,
  deleteFiresBefore,
  deleteMisfiresBefore,
  isAnyOpen,
  projectIds,
} from "./upkeep/prune-store.ts";

type Kept = Core & { readonly settings: { readonly SVC_SCHEDULE_FIRES_RETENTION_DAYS: number } };

/** Delivers waiting fires that an agent can run, also when the notification of its arrival was lost. */
export const replayFires: Loop<{
  fires: Pick<Fires, "buffer">;
  settings: { readonly SVC_PENDING_FIRES_REPLAY_INTERVAL_SECONDS: number };
}> = {
  name: "fires.replay",
  everyMs: ({ settings }) => settings.SVC_PENDING_FIRES_REPLAY_INTERVAL_SECONDS * 1000,
  leaderOnly: true,
  async tick({ fires }) {
    const handled = await fires.buffer.tick();
    return handled === 0 ? undefined : { handled };
  },
};

/** Reports slots that were not fired in time, late starts and long runs. Leader only, so that each is reported once. */
export const detectMisfires: Loop<{
  fires: Pick<Fires, "misfires">;
  settings: { readonly SVC_SCHEDULER_MISFIRE_SWEEP_SECONDS: number };
  /** Whether schedulers can connect at all; without them, no slot is ever fired. */
  isSchedulerExpected: boolean;
}> = {
  name: "fires.misfires",
  everyMs: ({ settings }) => settings.SVC_SCHEDULER_MISFIRE_SWEEP_SECONDS * 1000,
  leaderOnly: true,
  async tick({ fires, isSchedulerExpected, signal }) {
    const missed = isSchedulerExpected ? await fires.misfires.sweepMissed(signal) : 0;
    const overrun = await fires.misfires.sweepLimits(signal);
    return missed + overrun === 0 ? undefined : { missed, overrun };
  },
};

/** Disables schedules whose fires keep failing. Leader only, because once is enough. */
export const breakCircuits: Loop<{
  fires: Pick<Fires, "breaker">;
  settings: { readonly SVC_SCHEDULE_CIRCUIT_BREAKER_INTERVAL_SECONDS: number };
}> = {
  name: "fires.circuit_breaker",
  everyMs: ({ settings }) => settings.SVC_SCHEDULE_CIRCUIT_BREAKER_INTERVAL_SECONDS * 1000,
  leaderOnly: true,
  async tick({ fires, signal }) {
    const disabled = await fires.breaker.sweep(signal);
    return disabled === 0 ? undefined : { disabled };
  },
};

/**
 * Deletes fires past retention with their ids and, on PostgreSQL, creates the partitions of today and the next two weeks. A day with an open
 * fire stays. Leader only, so that two replicas never drop the same partition.
 */
export const pruneFires: Loop<Kept> = {
  name: "fires.retention",
  ...hourlyRetention,
  async tick({ database, clock, settings, signal }) {
    const now = clock.now();
    const { bulk } = database;
    const firstKeptFrom = (base: Date) => dayOf(base.getTime() - days(settings.SVC_SCHEDULE_FIRES_RETENTION_DAYS));
    await firePartitions(database)?.makeAhead(now);
    const byProject = { table: firesTable, ownerId: "project_id", column: "fired_at" } as const;
    const base = retentionBase(now, await newestOfEach(database.slow, "projects", byProject));
    const firstKept = base && firstKeptFrom(base);
    let dropped = 0;
    if (bulk.dialect === "postgres") {
      dropped = await dropPartitions(bulk.pool, {
        table: firesTable,
        firstKept,
        firstKeptEmpty: firstKeptFrom(now),
        isNeeded: (day) => isAnyOpen(database, startOf(day), startOf(day + 1)),
      });
    }
    if (firstKept === null) return { dropped, deleted: 0 };
    return { dropped, deleted: await deleteBefore(database, startOf(firstKept), signal) };
  },
};

async function deleteBefore(database: BrainDatabase, cutoff: Date, signal: AbortSignal): Promise<number> {
  let deleted = 0;
  if (database.bulk.dialect === "sqlite") {
    for (const projectId of await projectIds(database)) {
      deleted += await deleteInBatches(signal, (limit) => deleteFiresBefore(database, projectId, cutoff, limit));
    }
  }
  await deleteInBatches(signal, (limit) => deleteFireIdsBefore(database, cutoff, limit));
  return deleted;
}

/** Deletes misfires past the retention of fires. */
export const pruneMisfires = retentionLoop<Kept>({
  name: "fires.misfire_retention",
  newest: ({ database }) => newestInstant(database.slow, "misfire_alerts", "detected_at"),
  cutoffMs: (base, { settings }) => base.getTime() - days(settings.SVC_SCHEDULE_FIRES_RETENTION_DAYS),
  remove: ({ database, signal }, cutoff) =>
    deleteInBatches(signal, (limit) => deleteMisfiresBefore(database, cutoff, limit)),
});
