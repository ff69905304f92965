import type { Database, Tx } from "../../../platform/database/database.ts";
import type { CommandRow, Tables } from "../../../schema/tables/index.ts";

/** Inserts a command; false when its project has one with this idempotency key already. */
export async function insertCommand(tx: Tx<Tables>, row: CommandRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("commands")
    .values(row)
    .onConflict((conflict) => conflict.columns(["project_id", "idempotency_key"]).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Inserts commands; the ids of those whose project had no such idempotency key. */
export async function insertCommands(tx: Tx<Tables>, rows: readonly CommandRow[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const inserted = await tx
    .insertInto("commands")
    .values(rows)
    .onConflict((conflict) => conflict.columns(["project_id", "idempotency_key"]).doNothing())
    .returning("id")
    .execute();
  return new Set(inserted.map(({ id }) => id));
}

/** The project's command with this idempotency key. */
export const findCommandByKey = (
  db: Database<Tables>["read"] | Tx<Tables>,
  projectId: string,
  idempotencyKey: string,
): Promise<CommandRow | undefined> =>
  db
    .selectFrom("commands")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("idempotency_key", "=", idempotencyKey)
    .executeTakeFirst();
