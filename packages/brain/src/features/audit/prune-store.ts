import type { Tx } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";

/** Deletes all rows up to and with this one, in the chain's order, and tells how many. */
export async function deleteUpTo(tx: Tx<Tables>, last: { occurred_us: number; id: string }): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom("audit_log")
    .where(({ eb, refTuple, tuple }) => eb(refTuple("occurred_us", "id"), "<=", tuple(last.occurred_us, last.id)))
    .executeTakeFirst();
  return Number(numDeletedRows);
}
