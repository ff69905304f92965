import { newestInstant } from "../../platform/database/newest.ts";
import { days } from "../../platform/durations.ts";
import type { Loop } from "../../platform/loop.ts";
import { retentionLoop } from "../../platform/retention.ts";
import type { Core } from "../../schema/tables/index.ts";
import type { Coordinator } from "./coordination/coordinator.ts";
import { deleteRequestsEndedBefore } from "./store.ts";

/** Advances open bulk retries, to cover lost notifications. Safe in every replica, since each request is locked. */
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

/** Deletes bulk retries that finished, or were left paused or blocked, before the history retention. */
export const pruneBulkRetries = retentionLoop<Core & { settings: { SVC_HISTORY_RETENTION_DAYS: number } }>({
  name: "bulk_retry.retention",
  newest: ({ database }) => newestInstant(database.slow, "bulk_retry_requests", "created_at"),
  cutoffMs: (base, { settings }) => base.getTime() - days(settings.SVC_HISTORY_RETENTION_DAYS),
  async remove({ database, signal }, cutoff) {
    let deleted = 0;
    for (let batch = 1; batch > 0 && !signal.aborted; deleted += batch) {
      batch = await database.write((tx) => deleteRequestsEndedBefore(tx, cutoff));
    }
    return deleted;
  },
});
