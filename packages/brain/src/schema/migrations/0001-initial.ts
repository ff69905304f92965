import type { Migration } from "../../platform/database/migrate.ts";
import { accessTables } from "./0001-initial/access.ts";
import { agentTables } from "./0001-initial/agents.ts";
import { auditTables } from "./0001-initial/audit.ts";
import { commandTables } from "./0001-initial/commands.ts";
import { counterTables } from "./0001-initial/counters.ts";
import { taskTables } from "./0001-initial/tasks.ts";

/** Every table of the first release, by subject. A table comes after the tables that it refers to. */
export const initial: Migration = {
  name: "0001_initial",
  statements: (types) => [
    ...accessTables(types),
    ...agentTables(types),
    ...taskTables(types),
    ...counterTables(types),
    ...commandTables(types),
    ...auditTables(types),
  ],
};
