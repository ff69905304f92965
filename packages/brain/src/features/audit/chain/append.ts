import type { Tx } from "../../../platform/database/database.ts";
import { atEnd } from "../../../platform/database/transactions/at-end.ts";
import type { AuditLogRow, Tables } from "../../../schema/tables/index.ts";
import {
  actorRef,
  ChainIntegrityError,
  type ChainState,
  openState,
  rowHmac,
  rowVersion,
  type SignedRow,
  sealState,
} from "./chain.ts";
import type { ChainKeys } from "./chain-keys.ts";
import { type AuditEntry, type PreparedEntry, prepareEntry } from "./entry.ts";
import { clearUserId, lockState, readState, writeChain } from "./store.ts";

export interface AppendContext {
  readonly keys: ChainKeys;
  /** A new UUID. */
  newId(): string;
}

/**
 * Appends the audit rows of one action, in order, in the transaction of that action. Call it last in the transaction: it locks the head of
 * the chain until the commit, and nothing may be locked after it.
 *
 * @throws ChainIntegrityError when the chain's state does not authenticate; the action must not commit then.
 */
export async function appendEntries(
  tx: Tx<Tables>,
  entries: readonly AuditEntry[],
  context: AppendContext,
): Promise<void> {
  if (entries.length === 0) return;
  await atEnd(tx, "audit.append", entries.map(prepareEntry), (prepared) =>
    changeChain(tx, context, (state, nowMicros) => chainRows(state, prepared, { ...context, nowMicros })),
  );
}

/**
 * Locks the state, calls `change` for the new state and the rows that belong to it, and writes both.
 *
 * @throws ChainIntegrityError when the state does not authenticate.
 */
export async function changeChain(
  tx: Tx<Tables>,
  context: AppendContext,
  change: (state: ChainState, nowMicros: number) => ChainChange,
): Promise<void> {
  const sealed = await lockState(tx);
  if (sealed === undefined) throw new ChainIntegrityError("the state row is missing");
  const { rows, next } = change(openState(sealed, context.keys), Number(sealed.now_us));
  await writeChain(tx, { rows, sealed: sealState(next, context.keys) });
}

export interface ChainChange {
  readonly rows: AuditLogRow[];
  readonly next: ChainState;
}

/** Signs entries onto a chain: each row contains its predecessor's signature, and each time is later than the head's. */
export function chainRows(
  state: ChainState,
  entries: readonly PreparedEntry[],
  context: Pick<AppendContext, "keys" | "newId"> & { nowMicros: number },
): ChainChange {
  const key = context.keys.current;
  let head = state.head;
  const rows = entries.map((entry) => {
    const { user_id, ...fields } = entry;
    const signed: SignedRow = {
      ...fields,
      id: context.newId(),
      actor_ref: user_id === null ? null : actorRef(state.installation_id, user_id),
      occurred_us: Math.max(context.nowMicros, head === null ? 0 : head.occurred_us + 1),
      prev_row_hmac: head?.row_hmac ?? null,
      hmac_key_id: key.id,
      chain_generation: state.generation,
    };
    const row_hmac = rowHmac(key, signed);
    head = { row_hmac, key_id: key.id, occurred_us: signed.occurred_us, id: signed.id };
    return { ...signed, user_id, row_hmac, hmac_version: rowVersion, legacy_class: null };
  });
  const counts = state.active_key_counts;
  return {
    rows,
    next: {
      ...state,
      head,
      active_row_count: state.active_row_count + rows.length,
      active_key_counts: { ...counts, [key.id]: (counts[key.id] ?? 0) + rows.length },
    },
  };
}

/**
 * Removes a user from the audit rows, in the transaction that deletes the account and as its last statements. Rows keep the signed
 * `actor_ref`; the entry's row has it in its metadata, which explains those rows to a verifier.
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
  // Rows that other transactions appended before this one got the lock of the chain; there are few or none.
  await clearUserId(tx, userId, clearedUs);
}
