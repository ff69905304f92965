import type { Kysely } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";

const versionsKey = "known_versions";

/** The stored snapshot of known versions as JSON text; undefined before the first check. */
export async function readVersions(db: Kysely<Tables>): Promise<string | undefined> {
  const row = await db.selectFrom("meta").select("value").where("key", "=", versionsKey).executeTakeFirst();
  return row?.value;
}

export async function saveVersions(tx: Tx<Tables>, value: string): Promise<void> {
  await tx
    .insertInto("meta")
    .values({ key: versionsKey, value })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
    .execute();
}
