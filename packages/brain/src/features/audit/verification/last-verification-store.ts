import type { Tx } from "../../../platform/database/database.ts";
import { findMeta, saveMeta } from "../../../schema/meta-store.ts";
import type { Db, Tables } from "../../../schema/tables/index.ts";

/** Result of the last scheduled verification of the chain; stored separately from the chain and not signed with it. */
export interface LastVerification {
  readonly finished_at: string;
  readonly outcome: "clean" | "failed" | "error";
  /** Number of rows found valid; absent when the verification could not be done. */
  readonly rows?: number;
  /** The first bad row. */
  readonly row_id?: string;
}

const key = "audit_last_verification";

export const saveLastVerification = (tx: Tx<Tables>, last: LastVerification): Promise<void> =>
  saveMeta(tx, key, JSON.stringify(last));

/** Null before the first verification. */
export async function readLastVerification(db: Db): Promise<LastVerification | null> {
  const value = await findMeta(db, key);
  return value === undefined ? null : (JSON.parse(value) as LastVerification);
}
