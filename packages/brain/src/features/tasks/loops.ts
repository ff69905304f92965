import { retentionHorizonMs } from "@svc/protocol";
import type { Clock } from "../../platform/clock.ts";
import { newestInstant } from "../../platform/database/newest.ts";
import type { Loop } from "../../platform/loop.ts";
import { retentionBase } from "../../platform/retention.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { pruneTaskBatch, pruneTerms } from "./retention/prune.ts";

const rowsPerBatch = 5000;

/**
 * Keeps task rows within retention, counted in whole UTC days as that of events is, so that with equal settings no row goes before its
 * last event. Leader only; the transactions are short, and others write between them.
 */
export const pruneTasks: Loop<{
  database: BrainDatabase;
  clock: Pick<Clock, "now">;
  settings: { SVC_TASK_RETENTION_DAYS: number };
}> = {
  name: "tasks.retention",
  everyMs: 3_600_000,
  leaderOnly: true,
  removesByAge: true,
  async tick({ database, clock, settings, signal }) {
    const base = retentionBase(clock.now(), await newestInstant(database.slow, "tasks", "last_event_at"));
    let deleted = 0;
    while (base !== null && !signal.aborted) {
      const cutoff = new Date(retentionHorizonMs(base, settings.SVC_TASK_RETENTION_DAYS));
      const batch = await pruneTaskBatch(database, { cutoff, limit: rowsPerBatch, signal });
      deleted += batch.deleted;
      if (batch.seen < rowsPerBatch) break;
    }
    return { deleted, terms: await pruneTerms(database, signal) };
  },
};
