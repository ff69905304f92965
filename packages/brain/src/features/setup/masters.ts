import { createHmac } from "node:crypto";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import { findMeta, metaOrInsert, saveMeta } from "../../schema/meta-store.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";

const metaKey = "secret_key_id";

/** The database was bound to a master secret that is not configured. */
export class UnknownMaster extends Error {
  constructor() {
    super("the database belongs to a master secret that is not configured");
    this.name = "UnknownMaster";
  }
}

/** Public id of a master secret: distinguishes secrets without revealing them. */
const masterId = (master: string): string =>
  createHmac("sha256", master).update("svc/master/key-id/v1\0").digest("hex");

/** Whether a database belongs to these masters: `earlier` for one of the previous ones, `none` when it was never bound. Changes nothing. */
export async function masterFit(
  { read }: Pick<BrainDatabase, "read">,
  masters: Keyring,
): Promise<"current" | "earlier" | "other" | "none"> {
  const bound = await findMeta(read, metaKey);
  if (bound === undefined) return "none";
  if (bound === masterId(masters.current)) return "current";
  return masters.all.some((master) => masterId(master) === bound) ? "earlier" : "other";
}

/**
 * Binds the database to the master secret of its first start, so that a process with a different secret cannot silently invalidate every
 * token.
 *
 * @throws UnknownMaster when the database belongs to a master that is neither the current one nor a previous one.
 */
export async function bindMasters(database: Pick<BrainDatabase, "write">, masters: Keyring): Promise<void> {
  const current = masterId(masters.current);
  await database.write(async (tx) => {
    const bound = await metaOrInsert(tx, metaKey, current);
    if (bound === current) return;
    if (!masters.all.some((master) => masterId(master) === bound)) {
      throw new UnknownMaster();
    }
    await saveMeta(tx, metaKey, current);
  });
}
