import { sql } from "kysely";
import type { BrainDatabase } from "../../../schema/tables/index.ts";

/** Deletes at most `limit` rows of a table that are older than `cutoff`; returns how many. */
const deleteOlder =
  (table: "schedule_tombstones" | "schedule_snapshot_parts", column: string, key: readonly string[]) =>
  async ({ write }: Pick<BrainDatabase, "write">, cutoff: Date, limit: number): Promise<number> => {
    const columns = sql.join(key.map((name) => sql.ref(name)));
    const { numAffectedRows } = await write((tx) =>
      sql`DELETE FROM ${sql.table(table)} WHERE (${columns}) IN (
        SELECT ${columns} FROM ${sql.table(table)} WHERE ${sql.ref(column)} < ${cutoff}
        ORDER BY ${sql.ref(column)} LIMIT ${limit})`.execute(tx),
    );
    return Number(numAffectedRows);
  };

export const deleteTombstonesBefore = deleteOlder("schedule_tombstones", "deleted_at", ["project_id", "owner", "name"]);

export const deletePartsBefore = deleteOlder("schedule_snapshot_parts", "received_at", [
  "project_id",
  "owner",
  "snapshot_id",
  "part",
]);
