import type { Kysely } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { FirstBootTokenRow, Tables } from "../../schema/tables/index.ts";

/** Deletes set-up tokens whose time is over at `now`, and tells how many. */
export async function deleteEndedTokens(tx: Tx<Tables>, now: Date): Promise<number> {
  const { numDeletedRows } = await tx.deleteFrom("first_boot_tokens").where("expires_at", "<=", now).executeTakeFirst();
  return Number(numDeletedRows);
}

/** Stores a fresh token and deletes those that ended before. */
export async function insertToken(tx: Tx<Tables>, row: FirstBootTokenRow): Promise<void> {
  await deleteEndedTokens(tx, row.created_at);
  await tx.insertInto("first_boot_tokens").values(row).execute();
}

/** When the last unused token ends; undefined when none works at `now`. */
export async function lastExpiry(db: Kysely<Tables>, now: Date): Promise<Date | undefined> {
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

export async function isTokenLive(db: Kysely<Tables>, digests: readonly string[], now: Date): Promise<boolean> {
  const row = await db
    .selectFrom("first_boot_tokens")
    .select("id")
    .where("token_hash", "in", digests)
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return row !== undefined;
}

/** Uses a token up; false when another use won or its time is over. */
export async function consumeToken(tx: Tx<Tables>, digests: readonly string[], now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("first_boot_tokens")
    .set({ used_at: now })
    .where("token_hash", "in", digests)
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function findMeta(db: Kysely<Tables>, key: string): Promise<string | undefined> {
  return (await db.selectFrom("meta").select("value").where("key", "=", key).executeTakeFirst())?.value;
}

/** The meta value of a key, after giving it `fresh` when it has none. */
export async function metaOrInsert(tx: Tx<Tables>, key: string, fresh: string): Promise<string> {
  const values = { key, value: fresh };
  await tx
    .insertInto("meta")
    .values(values)
    .onConflict((conflict) => conflict.column("key").doNothing())
    .execute();
  const { value } = await tx.selectFrom("meta").select("value").where("key", "=", key).executeTakeFirstOrThrow();
  return value;
}

export async function saveMeta(tx: Tx<Tables>, key: string, value: string): Promise<void> {
  await tx.updateTable("meta").set({ value }).where("key", "=", key).execute();
}
