import { chunks } from "../../../platform/chunks.ts";
import type { Tx } from "../../../platform/database/database.ts";
import type { Tables } from "../../../schema/tables/index.ts";

const matchesPerStatement = 500;

/** Returns how many are new: a task received again between two steps is found by both. */
export async function insertMatches(tx: Tx<Tables>, requestId: string, ids: readonly string[]): Promise<number> {
  let inserted = 0;
  for (const some of chunks(ids, matchesPerStatement)) {
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto("bulk_retry_matches")
      .values(some.map((task_row_id) => ({ request_id: requestId, task_row_id })))
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    inserted += Number(numInsertedOrUpdatedRows ?? 0n);
  }
  return inserted;
}

export async function matchesOf(tx: Tx<Tables>, requestId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom("bulk_retry_matches")
    .select("task_row_id")
    .where("request_id", "=", requestId)
    .execute();
  return rows.map(({ task_row_id }) => task_row_id);
}

export async function deleteMatches(tx: Tx<Tables>, requestIds: readonly string[]): Promise<void> {
  await tx.deleteFrom("bulk_retry_matches").where("request_id", "in", requestIds).execute();
}
