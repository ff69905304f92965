import type { Tx } from "../../platform/database/database.ts";
import type { BrainDatabase, Db, Tables } from "../../schema/tables/index.ts";

const probeKey = "health.write_probe";
const lastSeenKey = "health.last_seen";

/** Writes one small row, in a transaction of its own: nothing else may be locked while another process waits for the row. */
export const writeProbeRow = ({ write }: Pick<BrainDatabase, "write">, value: string): Promise<void> =>
  write((tx) => upsert(tx, probeKey, value), { alone: true });

/** Notes that a process of the service knew the time. */
export const saveLastSeen = ({ write }: Pick<BrainDatabase, "write">, at: Date): Promise<void> =>
  write((tx) => upsert(tx, lastSeenKey, at.toISOString()), { alone: true });

/** When any process of the service noted the time last; null in a database that no such version has used. */
export async function readLastSeen(db: Db): Promise<Date | null> {
  const row = await db.selectFrom("meta").select("value").where("key", "=", lastSeenKey).executeTakeFirst();
  return row === undefined ? null : new Date(row.value);
}

async function upsert(tx: Tx<Tables>, key: string, value: string): Promise<void> {
  await tx
    .insertInto("meta")
    .values({ key, value })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
    .execute();
}
