import type { Tx } from "../../platform/database/database.ts";
import { deleteExpired } from "../../platform/database/delete-in-batches.ts";
import { changesOne, findsRow } from "../../platform/database/results.ts";
import type { Db, FirstBootTokenRow, Tables } from "../../schema/tables/index.ts";

/** Stores a new token and deletes expired ones. */
export async function insertSetupToken(tx: Tx<Tables>, row: FirstBootTokenRow): Promise<void> {
  await deleteExpired(tx, "first_boot_tokens", row.created_at);
  await tx.insertInto("first_boot_tokens").values(row).execute();
}

/** When the last unused token expires; undefined when none is valid at `now`. */
export async function lastExpiry(db: Db, now: Date): Promise<Date | undefined> {
  const row = await db
    .selectFrom("first_boot_tokens")
    .select("expires_at")
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .orderBy("expires_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.expires_at;
}

export const isTokenLive = (db: Db, digests: readonly string[], now: Date): Promise<boolean> =>
  findsRow(
    db
      .selectFrom("first_boot_tokens")
      .select("id")
      .where("token_hash", "in", digests)
      .where("used_at", "is", null)
      .where("expires_at", ">", now),
  );

/** Marks a token as used; false when it was already used or has expired. */
export const consumeSetupToken = (tx: Tx<Tables>, digests: readonly string[], now: Date): Promise<boolean> =>
  changesOne(
    tx
      .updateTable("first_boot_tokens")
      .set({ used_at: now })
      .where("token_hash", "in", digests)
      .where("used_at", "is", null)
      .where("expires_at", ">", now),
  );
