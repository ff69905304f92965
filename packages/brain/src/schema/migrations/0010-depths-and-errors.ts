import type { Migration } from "../../platform/database/migrate.ts";
import { columnTypes, runStatements } from "./column-types.ts";

/** The depths of queues over time, and failed tasks by time. Databases that were made meanwhile have them already. */
export const depthsAndErrors: Migration = {
  name: "0010_depths_and_errors",
  async up(db, dialect) {
    const t = columnTypes(dialect);
    await runStatements(db, [
      // Without a reference to its queue: rows go by their age, long before the queue does.
      `CREATE TABLE IF NOT EXISTS queue_depths (
        project_id ${t.uuid} NOT NULL, queue_id ${t.uuid} NOT NULL, cell_at ${t.instant} NOT NULL,
        pending_count ${t.int} NOT NULL, consumer_count ${t.int} NOT NULL, PRIMARY KEY (project_id, queue_id, cell_at)) ${t.options}`,
      "CREATE INDEX IF NOT EXISTS queue_depths_by_age ON queue_depths (cell_at)",
      // What a search for the text of an error looks through.
      `CREATE INDEX IF NOT EXISTS tasks_by_error ON tasks (project_id, received_at, id)
        WHERE exception IS NOT NULL OR traceback IS NOT NULL`,
    ]);
  },
};
