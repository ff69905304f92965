import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { deleteInBatches } from "../../platform/database/delete-in-batches.ts";
import { newestInstant } from "../../platform/database/newest.ts";
import { days, hours } from "../../platform/durations.ts";
import type { Loop } from "../../platform/loop.ts";
import { retentionBase } from "../../platform/retention.ts";
import type { Tables } from "../../schema/tables/index.ts";
import type { createDelivery } from "./delivery/delivery.ts";
import { deleteCommandsEndedBefore } from "./store.ts";

/** Deletes commands that ended longer ago than history is kept. Leader only: one replica is enough for it. */
export const pruneCommands: Loop<{
  database: Database<Tables>;
  clock: Pick<Clock, "now">;
  settings: { SVC_HISTORY_RETENTION_DAYS: number };
}> = {
  name: "commands.retention",
  everyMs: hours(1),
  leaderOnly: true,
  removesByAge: true,
  async tick({ database, clock, settings, signal }) {
    const base = retentionBase(clock.now(), await newestInstant(database.slow, "commands", "issued_at"));
    if (base === null) return { deleted: 0 };
    const cutoff = new Date(base.getTime() - days(settings.SVC_HISTORY_RETENTION_DAYS));
    return { deleted: await deleteInBatches(signal, (limit) => deleteCommandsEndedBefore(database, cutoff, limit)) };
  },
};

/** Times out commands without a result. In every replica: each row is won by one of them. */
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
