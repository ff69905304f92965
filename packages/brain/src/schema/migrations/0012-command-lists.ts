import type { Migration } from "../../platform/database/migrate.ts";
import { columnTypes, runStatements } from "./column-types.ts";

/** What each connected process of an agent can do, and the lists of commands. */
export const commandLists: Migration = {
  name: "0012_command_lists",
  async up(db, dialect) {
    const t = columnTypes(dialect);
    await runStatements(db, [
      `ALTER TABLE agent_workers ADD COLUMN capabilities ${t.json} NOT NULL DEFAULT '{}'`,
      "CREATE INDEX commands_by_status ON commands (project_id, status, issued_at, id)",
      "CREATE INDEX commands_by_action ON commands (project_id, action, issued_at, id)",
      "CREATE INDEX commands_by_project_agent ON commands (project_id, agent_id, issued_at, id)",
    ]);
  },
};
