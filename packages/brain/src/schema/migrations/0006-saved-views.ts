import type { Migration } from "../../platform/database/migrate.ts";
import { columnTypes, runStatements } from "./column-types.ts";

/** Filters of the task list that a user keeps under a name. */
export const savedViews: Migration = {
  name: "0006_saved_views",
  async up(db, dialect) {
    const t = columnTypes(dialect);
    await runStatements(db, [
      `CREATE TABLE saved_views (
        id ${t.uuid} PRIMARY KEY, user_id ${t.uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        project_id ${t.uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE, name ${t.text} NOT NULL, filters ${t.json} NOT NULL,
        created_at ${t.instant} NOT NULL, updated_at ${t.instant} NOT NULL, UNIQUE (user_id, project_id, name)) ${t.options}`,
      "CREATE INDEX saved_views_by_project ON saved_views (project_id)",
    ]);
  },
};
