import type { Keyring } from "../../platform/crypto/keyring.ts";
import { uuidV7 } from "../../platform/ids.ts";
import { retentionBase } from "../../platform/retention.ts";
import type { Core } from "../../schema/tables/index.ts";
import { type AppendContext, changeChain } from "./chain/append.ts";
import { openState } from "./chain/chain.ts";
import { createChainKeys } from "./chain/chain-keys.ts";
import { countBefore, newestRowAt, readState } from "./chain/store.ts";
import { ownOrigin } from "./origin.ts";
import { before, pruneOnce, type RetentionSettings } from "./retention/prune.ts";
import { anchorText, type HeadAnchor } from "./verification/anchor.ts";
import { type VerifyOptions, verifyAnchor, verifyChain } from "./verification/verify-chain.ts";

export interface ManualPrune {
  readonly before: Date;
  readonly settings: RetentionSettings & { readonly SVC_AUDIT_RETENTION_SWEEP_BATCH_SIZE: number };
  readonly onProgress?: (removed: number) => void;
}

/** Operations on the chain from the command line, whether or not a service is running. */
export function createUpkeep({ database, secrets, clock }: Core & { secrets: Keyring }) {
  const keys = createChainKeys(secrets);
  const context: AppendContext = { keys, newId: () => uuidV7(clock) };
  return {
    verify: (options?: VerifyOptions) => verifyChain(database, keys, options),
    verifyAnchor: (anchor: HeadAnchor) => verifyAnchor(database, keys, anchor),
    /** The head as the text of an anchor; null while there is none. Writes no row. @throws ChainIntegrityError, UnknownChainKey */
    async head(): Promise<string | null> {
      const sealed = await readState(database.read);
      // A committed row may not be on the disk yet, and after a crash no anchor may be ahead of the chain.
      await database.flush();
      return sealed === undefined ? null : anchorText(openState(sealed, keys));
    },
    /** Total number of rows, and the number before an instant. */
    count: (instant: Date) => countBefore(database.slow, instant),
    /** Removes rows before an instant, batch by batch, each with its own audit.prune row. @throws ChainIntegrityError, ConcurrentPrune */
    async prune({ before: instant, settings, onProgress }: ManualPrune) {
      const mayGo = before(instant, settings, retentionBase(clock.now(), await newestRowAt(database.read)) ?? instant);
      let removed = 0;
      for (let isEnd = false, isFirst = true; !isEnd; isFirst = false) {
        // At least one row, even when nothing was old enough: the attempt is recorded.
        const entryOf = (count: number) => (count > 0 || isFirst ? pruneEntry(instant, count) : null);
        const batch = await pruneOnce(database, context, {
          mayGo,
          maxRows: settings.SVC_AUDIT_RETENTION_SWEEP_BATCH_SIZE,
          entryOf,
        });
        removed += batch.removed;
        isEnd = batch.isEnd;
        onProgress?.(removed);
      }
      return removed;
    },
    /** Signs the state with the current key. No other process may append. @throws ChainIntegrityError, UnknownChainKey */
    async rotateKey(): Promise<{ keyId: string }> {
      await database.write((tx) => changeChain(tx, context, (state) => ({ rows: [], next: state })), { alone: true });
      return { keyId: keys.current.id };
    },
  };
}

export type ChainUpkeep = ReturnType<typeof createUpkeep>;

const pruneEntry = (instant: Date, removed: number) => ({
  ...ownOrigin,
  action: "audit.prune",
  target_type: "audit_chain",
  metadata: { before: instant.toISOString(), removed },
});
