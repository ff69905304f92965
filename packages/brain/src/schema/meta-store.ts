import type { Tx } from "../platform/database/database.ts";
import type { Db, Tables } from "./tables/index.ts";

/** The value that the installation keeps under a key; undefined when it has none. */
export async function findMeta(db: Db, key: string): Promise<string | undefined> {
  return (await db.selectFrom("meta").select("value").where("key", "=", key).executeTakeFirst())?.value;
}

/** The value of a key; sets it to `fresh` when it has none. */
export async function metaOrInsert(tx: Tx<Tables>, key: string, fresh: string): Promise<string> {
  await tx
    .insertInto("meta")
    .values({ key, value: fresh })
    .onConflict((conflict) => conflict.column("key").doNothing())
    .execute();
  const { value } = await tx.selectFrom("meta").select("value").where("key", "=", key).executeTakeFirstOrThrow();
  return value;
}

/** Sets the value of a key. */
export async function saveMeta(tx: Tx<Tables>, key: string, value: string): Promise<void> {
  await tx
    .insertInto("meta")
    .values({ key, value })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
    .execute();
}
