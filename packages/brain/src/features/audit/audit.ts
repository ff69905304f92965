import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Tx } from "../../platform/database/database.ts";
import { uuidV7 } from "../../platform/ids.ts";
import type { Core, Tables } from "../../schema/tables/index.ts";
import { type AppendContext, appendEntries, forgetUser } from "./chain/append.ts";
import { beginChain } from "./chain/begin-chain.ts";
import { openState } from "./chain/chain.ts";
import { createChainKeys } from "./chain/chain-keys.ts";
import type { AuditEntry } from "./chain/entry.ts";
import { addressesSince, newestRowAt, readState } from "./chain/store.ts";
import { createOncePerWindow, type RefusalKey } from "./refusals/once-per-window.ts";
import { RefusalCollector } from "./refusals/refusal-collector.ts";
import { pruneOnce } from "./retention/prune.ts";
import {
  type LastVerification,
  readLastVerification,
  saveLastVerification,
} from "./verification/last-verification-store.ts";
import { type VerifyOptions, verifyChain } from "./verification/verify-chain.ts";

export interface AuditDeps extends Core {
  readonly secrets: Keyring;
  /** Called when rows of refusals could not be written yet; the refusals themselves still apply. */
  readonly onError: (error: unknown) => void;
  /** Called for each refusal that is counted in a summary row instead of getting its own row. */
  readonly onSuppressed?: () => void;
  /** Added to the metadata of every row when actions are not requested over HTTP. */
  readonly via?: "cli";
}

/** The audit log: an ordered, signed chain of what was done and refused. */
export function createAudit({ database, secrets, clock, onError, onSuppressed, via }: AuditDeps) {
  const context: AppendContext = {
    keys: createChainKeys(secrets),
    newId: () => uuidV7(clock),
  };
  const refusals = createOncePerWindow(clock);
  const marked = (entry: AuditEntry): AuditEntry =>
    via === undefined ? entry : { ...entry, metadata: { ...entry.metadata, via } };
  const listed = (entries: AuditEntry | readonly AuditEntry[]) =>
    ((Array.isArray(entries) ? entries : [entries]) as AuditEntry[]).map(marked);
  /**
   * Writes rows that belong to no action. With `alone`, no other write shares their transaction: for rows that unauthenticated clients
   * cause and that cannot wait for `refused`.
   */
  const record = (entries: AuditEntry | readonly AuditEntry[], options?: { readonly alone?: boolean }): Promise<void> =>
    database.write((tx) => appendEntries(tx, listed(entries), context), options);
  const collector = new RefusalCollector({
    clock,
    // Alone: no other transaction waits for the rows of the batch.
    write: (entries) => record(entries, { alone: true }),
    onFailed: onError,
    onSuppressed: () => onSuppressed?.(),
  });

  return {
    /** Begins or checks the chain; before the first append, after the migrations. @throws UnknownChainKey, ChainIntegrityError */
    async prepare() {
      await database.write((tx) => beginChain(tx, context), { alone: true });
    },
    /** Writes rows in the transaction of the action, as its last statements. */
    append: (tx: Tx<Tables>, entries: AuditEntry | readonly AuditEntry[]) =>
      appendEntries(tx, listed(entries), context),
    /**
     * Appends the row of a user's deletion, with the user's `actor_ref`, and removes the user's id from all rows; last in the transaction,
     * like `append`.
     */
    forgetUser: (tx: Tx<Tables>, departure: { userId: string; entry: AuditEntry }) =>
      forgetUser(tx, departure, context),
    record,
    /**
     * Collects the row of a refused unauthenticated request, or of a read without credentials, to be written behind all other writes; with
     * a key, at most once per key in ten minutes. Never throws and never delays the answer. Rows beyond a limit are counted in a summary
     * row.
     */
    refused(entry: AuditEntry, key?: RefusalKey) {
      const occurrence = key === undefined ? "first" : refusals.judge(key);
      if (occurrence === "first") collector.collect(entry);
      else if (occurrence === "excess") collector.suppress(entry);
    },
    /** Writes the refusals collected so far. They are kept when the database fails. */
    settled: () => collector.flush(),
    /** As `settled`, for the last time. @returns the number of rows lost because the database fails */
    stop: () => collector.stop(),
    /** Walks the chain. @throws ChainVerificationError when the chain cannot be verified */
    verify: (options?: VerifyOptions) => verifyChain(database, context.keys, options),
    /** Records the result of a scheduled verification, for every process to report. */
    noteVerification: (last: Omit<LastVerification, "finished_at">) =>
      database.write((tx) => saveLastVerification(tx, { finished_at: clock.now().toISOString(), ...last })),
    /** The result of the last scheduled verification; null before the first. */
    lastVerification: () => readLastVerification(database.read),
    /** Removes the oldest expired rows, in one transaction. @throws ChainIntegrityError, ConcurrentPrune */
    prune: (options: Parameters<typeof pruneOnce>[2]) => pruneOnce(database, context, options),
    /** The addresses of the rows of an action since an instant, at most `limit` of them. */
    addressesSince: (query: { action: string; since: Date; limit: number }) => addressesSince(database.read, query),
    /** When the newest row was written; null for an empty log. */
    newestRowAt: () => newestRowAt(database.read),
    /** Whether the chain has begun, after authenticating its state; reads no audit rows. @throws ChainIntegrityError */
    async checkState() {
      const sealed = await readState(database.read);
      if (sealed !== undefined) openState(sealed, context.keys);
      return sealed !== undefined;
    },
  };
}

export type Audit = ReturnType<typeof createAudit>;
