import { deleteInBatches } from "../../platform/database/delete-in-batches.ts";
import { newestInstant } from "../../platform/database/newest.ts";
import { days } from "../../platform/durations.ts";
import type { Loop } from "../../platform/loop.ts";
import { retentionLoop } from "../../platform/retention.ts";
import type { Core } from "../../schema/tables/index.ts";
import type { createDelivery } from "./delivery/delivery.ts";
import { deleteCommandsEndedBefore } from "./store.ts";

/** Deletes commands that ended longer ago than history is kept. */
export const pruneCommands = retentionLoop<Core & { settings: { SVC_HISTORY_RETENTION_DAYS: number } }>({
  name: "commands.retention",
  newest: ({ database }) => newestInstant(database.slow, "commands", "issued_at"),
  cutoffMs: (base, { settings }) => base.getTime() - days(settings.SVC_HISTORY_RETENTION_DAYS),
  remove: ({ database, signal }, cutoff) =>
    deleteInBatches(signal, (limit) => deleteCommandsEndedBefore(database, cutoff, limit)),
});

/** Times out commands without a result. Safe in every replica, since only one wins each row. */
export const expireCommands: Loop<{
  commands: Pick<ReturnType<typeof createDelivery>, "expire">;
  settings: { SVC_COMMAND_TIMEOUT_SWEEP_SECONDS: number };
}> = {
  name: "commands.timeout",
  everyMs: ({ settings }) => settings.SVC_COMMAND_TIMEOUT_SWEEP_SECONDS * 1000,
  leaderOnly: false,
  async tick({ commands, signal }) {
    return { timed_out: await commands.expire(signal) };
  },
};
