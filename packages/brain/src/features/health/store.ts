import { findMeta, saveMeta } from "../../schema/meta-store.ts";
import type { BrainDatabase, Db } from "../../schema/tables/index.ts";

const probeKey = "health.write_probe";
const lastSeenKey = "health.last_seen";

/** Writes one small row in its own transaction, because it must lock nothing else while another process waits for the row. */
export const writeProbeRow = ({ write }: Pick<BrainDatabase, "write">, value: string): Promise<void> =>
  write((tx) => saveMeta(tx, probeKey, value), { alone: true });

/** Records that a process of the service knew the time. */
export const saveLastSeen = ({ write }: Pick<BrainDatabase, "write">, at: Date): Promise<void> =>
  write((tx) => saveMeta(tx, lastSeenKey, at.toISOString()), { alone: true });

/** When a process of the service last recorded the time; null in a database that no such version has used. */
export async function readLastSeen(db: Db): Promise<Date | null> {
  const value = await findMeta(db, lastSeenKey);
  return value === undefined ? null : new Date(value);
}
