import { sql } from "kysely";
import type { Tx } from "./database.ts";

const rowsPerBatch = 5000;

/**
 * Deletes in transactions of at most 5000 rows, between which others can write, until one finds fewer or the signal is aborted.
 *
 * @param deleteBatch deletes at most `limit` rows and gives how many.
 * @returns how many rows were deleted.
 */
export async function deleteInBatches(
  signal: AbortSignal,
  deleteBatch: (limit: number) => Promise<number>,
): Promise<number> {
  let deleted = 0;
  for (let batch = rowsPerBatch; batch >= rowsPerBatch && !signal.aborted; deleted += batch) {
    batch = await deleteBatch(rowsPerBatch);
  }
  return deleted;
}

/** Deletes the rows of a table that have expired at `now`, and returns how many. */
export async function deleteExpired<Schema>(tx: Tx<Schema>, table: keyof Schema & string, now: Date): Promise<number> {
  const { numAffectedRows } = await sql`DELETE FROM ${sql.table(table)} WHERE expires_at <= ${now}`.execute(tx);
  return Number(numAffectedRows);
}
