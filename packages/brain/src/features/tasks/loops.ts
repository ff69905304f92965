import { retentionHorizonMs } from "@svc/protocol";
import { newestInstant } from "../../platform/database/newest.ts";
import type { Loop } from "../../platform/loop.ts";
import { hourlyRetention, retentionBase } from "../../platform/retention.ts";
import type { BrainDatabase, Core } from "../../schema/tables/index.ts";
import { indexedRows } from "./projection/search-sqlite-store.ts";
import { pruneTaskBatch, pruneTerms } from "./retention/prune.ts";

const rowsPerBatch = 5000;

/**
 * Deletes expired task rows. Retention is counted in whole UTC days like that of events, so that with equal settings no row is deleted
 * before its last event. Leader only; the transactions are short, so that others can write between them.
 */
export const pruneTasks: Loop<Core & { settings: { SVC_TASK_RETENTION_DAYS: number } }> = {
  name: "tasks.retention",
  ...hourlyRetention,
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

const roundsPerTick = 20;

/** Updates the trigram index of task ids; large rounds cost a fraction of an update per task. */
export const indexTaskIds: Loop<{ database: BrainDatabase }> = {
  name: "tasks.index-task-ids",
  everyMs: 1000,
  leaderOnly: false,
  async tick({ database, signal }) {
    const { bulk } = database;
    if (bulk.dialect !== "sqlite") return { indexed: 0 };
    let indexed = 0;
    for (let round = 0; round < roundsPerTick && !signal.aborted; round += 1) {
      const count = (await bulk.job("tasks.index-task-ids", null)) as number;
      indexed += count;
      if (count < indexedRows) break;
    }
    return { indexed };
  },
};
