import type { Migration } from "../../platform/database/migrate.ts";
import { runStatements } from "./column-types.ts";

/** Bulk retries of a project, newest first. */
export const bulkRetryList: Migration = {
  name: "0015_bulk_retry_list",
  async up(db) {
    await runStatements(db, ["CREATE INDEX bulk_retry_requests_list ON bulk_retry_requests (project_id, id)"]);
  },
};
