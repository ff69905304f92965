import { retentionHorizonMs } from "@svc/protocol";
import { deleteInBatches } from "../../platform/database/delete-in-batches.ts";
import { dayOf, dropPartitions } from "../../platform/database/dialects/postgres/partitions/daily-partitions.ts";
import { newestOfEach } from "../../platform/database/newest.ts";
import type { Loop } from "../../platform/loop.ts";
import { hourlyRetention, retentionBase } from "../../platform/retention.ts";
import type { BrainDatabase, Core } from "../../schema/tables/index.ts";
import { eventPartitions } from "./partitions.ts";
import { deleteEventsBefore, projectsWithEventsBefore } from "./prune-sqlite-store.ts";

/**
 * Deletes events past retention and, on PostgreSQL, creates the partitions of today and the next two weeks. Leader only, so that two
 * replicas never drop the same partition. On SQLite it deletes in batches, so that others can write in between.
 */
export const pruneEvents: Loop<Core & { settings: { SVC_EVENT_RETENTION_DAYS: number } }> = {
  name: "events.retention",
  ...hourlyRetention,
  async tick({ database, clock, settings, signal }) {
    const now = clock.now();
    const { bulk } = database;
    const horizonOf = (at: Date) => retentionHorizonMs(at, settings.SVC_EVENT_RETENTION_DAYS);
    const byProject = { table: "events", ownerId: "project_id", column: "occurred_at" } as const;
    const newest = () => newestOfEach(database.slow, "projects", byProject);
    if (bulk.dialect === "postgres") {
      await eventPartitions(bulk.pool).makeAhead(now);
      const base = retentionBase(now, await newest());
      // Empty partitions are created daily even without events, so they are dropped by the clock alone.
      const firstKept = base && dayOf(horizonOf(base));
      const firstKeptEmpty = dayOf(horizonOf(now));
      return { dropped: await dropPartitions(bulk.pool, { table: "events", firstKept, firstKeptEmpty }) };
    }
    const base = retentionBase(now, await newest());
    if (base === null) return { deleted: 0 };
    return { deleted: await deleteByProject(database, new Date(horizonOf(base)), signal) };
  },
};

async function deleteByProject(database: BrainDatabase, cutoff: Date, signal: AbortSignal): Promise<number> {
  let deleted = 0;
  for (const projectId of await projectsWithEventsBefore(database, cutoff)) {
    deleted += await deleteInBatches(signal, (limit) => deleteEventsBefore(database, projectId, cutoff, limit));
  }
  return deleted;
}
