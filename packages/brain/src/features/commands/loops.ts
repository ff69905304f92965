import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { newestInstant } from "../../platform/database/newest.ts";
import type { Loop } from "../../platform/loop.ts";
import { retentionBase } from "../../platform/retention.ts";
import type { Tables } from "../../schema/tables/index.ts";
import type { createDelivery } from "./delivery/delivery.ts";
import { deleteCommandsEndedBefore } from "./store.ts";

const rowsPerBatch = 5000;
const dayMs = 86_400_000;

/** Deletes commands that ended longer ago than history is kept. Leader only: one replica is enough for it. */
export const pruneCommands: Loop<{
  database: Database<Tables>;
  clock: Pick<Clock, "now">;
  settings: { SVC_HISTORY_RETENTION_DAYS: number };
}> = {
  name: "commands.retention",
  everyMs: 3_600_000,
  leaderOnly: true,
  removesByAge: true,
  async tick({ database, clock, settings, signal }) {
    const base = retentionBase(clock.now(), await newestInstant(database.slow, "commands", "issued_at"));
    if (base === null) return { deleted: 0 };
    const cutoff = new Date(base.getTime() - settings.SVC_HISTORY_RETENTION_DAYS * dayMs);
    let deleted = 0;
    for (let batch = rowsPerBatch; batch === rowsPerBatch && !signal.aborted; ) {
      batch = await deleteCommandsEndedBefore(database, cutoff, rowsPerBatch);
      deleted += batch;
    }
    return { deleted };
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
