import type { Migration } from "../../platform/database/migrate.ts";
import { runStatements } from "./column-types.ts";

/** Failures by issue and by time, with what counting them needs, so that the rows of the tasks are not read. */
export const issues: Migration = {
  name: "0008_issues",
  async up(db) {
    await runStatements(db, [
      "DROP INDEX tasks_by_fingerprint",
      `CREATE INDEX tasks_by_fingerprint ON tasks (project_id, fingerprint, last_failed_at, state, engine)
        WHERE fingerprint IS NOT NULL`,
      `CREATE INDEX tasks_by_failure ON tasks (project_id, last_failed_at, fingerprint, engine)
        WHERE fingerprint IS NOT NULL`,
    ]);
  },
};
