import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { newestInstant } from "../../platform/database/newest.ts";
import { days, hours } from "../../platform/durations.ts";
import type { Loop } from "../../platform/loop.ts";
import { retentionBase } from "../../platform/retention.ts";
import type { Tables } from "../../schema/tables/index.ts";
import type { Coordinator } from "./coordination/coordinator.ts";
import { deleteRequestsEndedBefore } from "./store.ts";

/** Moves open bulk retries on, in case word of what they waited for was lost. In every replica: the lock on a request orders them. */
export const moveBulkRetries: Loop<{
  bulkRetries: Pick<Coordinator, "tick">;
  settings: { SVC_BULK_RETRY_SCAN_SECONDS: number };
}> = {
  name: "bulk_retry",
  everyMs: ({ settings }) => settings.SVC_BULK_RETRY_SCAN_SECONDS * 1000,
  leaderOnly: false,
  async tick({ bulkRetries, signal }) {
    const sent = await bulkRetries.tick(signal);
    return sent === 0 ? undefined : { sent };
  },
};

/** Deletes bulk retries that finished, or were left paused or blocked, longer ago than history is kept. Leader only: one replica is enough for it. */
export const pruneBulkRetries: Loop<{
  database: Database<Tables>;
  clock: Pick<Clock, "now">;
  settings: { SVC_HISTORY_RETENTION_DAYS: number };
}> = {
  name: "bulk_retry.retention",
  everyMs: hours(1),
  leaderOnly: true,
  removesByAge: true,
  async tick({ database, clock, settings, signal }) {
    const base = retentionBase(clock.now(), await newestInstant(database.slow, "bulk_retry_requests", "created_at"));
    if (base === null) return { deleted: 0 };
    const cutoff = new Date(base.getTime() - days(settings.SVC_HISTORY_RETENTION_DAYS));
    let deleted = 0;
    for (let batch = 1; batch > 0 && !signal.aborted; deleted += batch) {
      batch = await database.write((tx) => deleteRequestsEndedBefore(tx, cutoff));
    }
    return { deleted };
  },
};
