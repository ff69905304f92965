import type { Kysely } from "kysely";
import type { Tx } from "../../../platform/database/database.ts";
import type { Tables } from "../../../schema/tables/index.ts";

/** How the last scheduled verification of the chain ended; a note beside the chain, not signed with it. */
export interface LastVerification {
  readonly finished_at: string;
  readonly outcome: "clean" | "failed" | "error";
  /** Rows that it found in order; absent when it could not be done. */
  readonly rows?: number;
  /** The first bad row. */
  readonly row_id?: string;
}

const key = "audit_last_verification";

export async function saveLastVerification(tx: Tx<Tables>, last: LastVerification): Promise<void> {
  const value = JSON.stringify(last);
  await tx
    .insertInto("meta")
    .values({ key, value })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
    .execute();
}

/** Null before the first. */
export async function readLastVerification(db: Kysely<Tables>): Promise<LastVerification | null> {
  const row = await db.selectFrom("meta").select("value").where("key", "=", key).executeTakeFirst();
  return row === undefined ? null : (JSON.parse(row.value) as LastVerification);
}
