import type { Tx } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { type AppendContext, appendEntries } from "./append.ts";
import { actorRef, ChainIntegrityError, openState } from "./chain.ts";
import type { AuditEntry } from "./entry.ts";
import { clearUserId, readState } from "./store.ts";

/**
 * Takes a user out of the audit rows, inside the transaction that deletes the account and as its last statements: rows keep the signed
 * `actor_ref`, and the entry's row carries it in its metadata, which explains them to a verifier (spec part 3, section 8 rule 3).
 *
 * @throws ChainIntegrityError when the chain's state does not authenticate; the deletion must not commit then.
 */
export async function forgetUser(
  tx: Tx<Tables>,
  { userId, entry }: { userId: string; entry: AuditEntry },
  context: AppendContext,
): Promise<void> {
  const sealed = await readState(tx);
  if (sealed === undefined) throw new ChainIntegrityError("the state row is missing");
  const actor_ref = actorRef(openState(sealed, context.keys).installation_id, userId);
  const clearedUs = await clearUserId(tx, userId, -1);
  await appendEntries(tx, [{ ...entry, metadata: { ...entry.metadata, actor_ref } }], context);
  // Rows that others appended before this one got hold of the chain; there are few or none.
  await clearUserId(tx, userId, clearedUs);
}
