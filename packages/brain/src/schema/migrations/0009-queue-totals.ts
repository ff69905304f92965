import type { Migration } from "../../platform/database/migrate.ts";
import { runStatements } from "./column-types.ts";

/** Rollups of a project and of its queues are summed up in rows without an engine; those of a project have no queue. */
export const queueTotals: Migration = {
  name: "0009_queue_totals",
  async up(db) {
    await runStatements(db, [
      "DROP INDEX rollup_totals",
      "CREATE INDEX rollup_totals ON rollups (project_id, queue, kind, bucket_at) WHERE engine = ''",
    ]);
  },
};
