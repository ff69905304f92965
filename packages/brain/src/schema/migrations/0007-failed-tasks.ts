import type { Migration } from "../../platform/database/migrate.ts";
import { runStatements } from "./column-types.ts";

/** The failed tasks of a name, newest first: they are few among its tasks, and what they share is asked for. */
export const failedTasks: Migration = {
  name: "0007_failed_tasks",
  async up(db) {
    await runStatements(db, [
      "CREATE INDEX tasks_failed_by_name ON tasks (project_id, name, received_at) WHERE state = 'failure'",
    ]);
  },
};
