import { randomUUID } from "node:crypto";
import type { Tx } from "../../../platform/database/database.ts";
import { lockSubject } from "../../../platform/database/dialects/locks.ts";
import { metaOrInsert } from "../../../schema/meta-store.ts";
import type { Tables } from "../../../schema/tables/index.ts";
import { type AppendContext, appendEntries } from "./append.ts";
import { ChainIntegrityError, openState, sealState } from "./chain.ts";
import { firstRowId, insertState, lockState } from "./store.ts";

/** Key of the installation's id in `meta`. */
const installationKey = "installation_id";

/**
 * Begins the chain on a new database and checks it on an existing one.
 *
 * @returns the installation's id.
 * @throws UnknownChainKey when the state row was signed by a key that is not configured, ChainIntegrityError when it was changed, or
 * deleted while its rows still exist.
 */
export async function beginChain(tx: Tx<Tables>, context: AppendContext): Promise<string> {
  await lockSubject(tx, "audit-chain-start");
  const installationId = await metaOrInsert(tx, installationKey, randomUUID());
  const sealed = await lockState(tx);
  if (sealed !== undefined) {
    openState(sealed, context.keys);
    return installationId;
  }
  // Rows without a state row must not be hidden under a new chain that appears valid.
  if ((await firstRowId(tx)) !== null) throw new ChainIntegrityError("the state row is missing, but audit rows exist");
  const generation = randomUUID();
  const empty = {
    generation,
    installation_id: installationId,
    head: null,
    prune: null,
    active_row_count: 0,
    active_key_counts: {},
  };
  await insertState(tx, sealState(empty, context.keys));
  await appendEntries(
    tx,
    [{ action: "audit.generation_start", target_type: "audit_chain", target_id: generation }],
    context,
  );
  return installationId;
}
