import { retentionHorizonMs } from "@svc/protocol";
import { deleteInBatches } from "../../platform/database/delete-in-batches.ts";
import type { Loop } from "../../platform/loop.ts";
import { retentionLoop } from "../../platform/retention.ts";
import type { Core } from "../../schema/tables/index.ts";
import { unseenWorkers } from "./store.ts";
import type { Workers } from "./workers.ts";

/** Marks silent workers offline. Safe in every replica: it is one conditional statement. */
export const sweepSilentWorkers: Loop<{
  workers: Pick<Workers, "sweepSilent">;
  settings: { SVC_AGENT_HEALTH_SWEEP_SECONDS: number };
}> = {
  name: "workers.sweep-silent",
  everyMs: ({ settings }) => settings.SVC_AGENT_HEALTH_SWEEP_SECONDS * 1000,
  leaderOnly: false,
  async tick({ workers }) {
    return { offline: await workers.sweepSilent() };
  },
};

/** Deletes workers that no event or agent has named within the task retention. */
export const pruneWorkers = retentionLoop<Core & { settings: { SVC_TASK_RETENTION_DAYS: number } }>({
  name: "workers.retention",
  newest: ({ database }) => unseenWorkers.newest(database),
  cutoffMs: (base, { settings }) => retentionHorizonMs(base, settings.SVC_TASK_RETENTION_DAYS),
  remove: ({ database, signal }, cutoff) =>
    deleteInBatches(signal, (limit) => unseenWorkers.remove(database, cutoff, limit)),
});
