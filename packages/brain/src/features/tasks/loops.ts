import { retentionHorizonMs } from "@svc/protocol";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Loop } from "../../platform/loop.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { pruneTaskBatch, pruneTerms } from "./prune.ts";

const rowsPerBatch = 5000;

/**
 * Keeps task rows within retention, counted in whole UTC days as that of events is, so that with equal settings no row goes before its
 * last event. Leader only; the transactions are short, and others write between them.
 */
export const pruneTasks: Loop<{
  database: Database<Tables>;
  clock: Pick<Clock, "now">;
  settings: { SVC_TASK_RETENTION_DAYS: number };
}> = {
  name: "tasks.retention",
  everyMs: 3_600_000,
  leaderOnly: true,
  async tick({ database, clock, settings, signal }) {
    const cutoff = new Date(retentionHorizonMs(clock.now(), settings.SVC_TASK_RETENTION_DAYS));
    let deleted = 0;
    while (!signal.aborted) {
      const batch = await pruneTaskBatch(database, { cutoff, limit: rowsPerBatch, signal });
      deleted += batch.deleted;
      if (batch.seen < rowsPerBatch) break;
    }
    return { deleted, terms: await pruneTerms(database, signal) };
  },
};
