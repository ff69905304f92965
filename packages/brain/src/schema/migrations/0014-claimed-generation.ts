import type { Migration } from "../../platform/database/migrate.ts";
import { columnTypes, runStatements } from "./column-types.ts";

/** For which connection of its agent a child of a bulk retry was claimed. */
export const claimedGeneration: Migration = {
  name: "0014_claimed_generation",
  async up(db, dialect) {
    const t = columnTypes(dialect);
    await runStatements(db, [`ALTER TABLE bulk_retry_children ADD COLUMN claimed_generation ${t.int}`]);
  },
};
