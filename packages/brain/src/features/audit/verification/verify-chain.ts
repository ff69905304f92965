import { setImmediate } from "node:timers/promises";
import { equalSecrets } from "@svc/protocol";
import type { AuditLogRow, BrainDatabase, Db } from "../../../schema/tables/index.ts";
import {
  ChainIntegrityError,
  type ChainState,
  ChainVerificationError,
  openState,
  rowHmac,
  UnknownChainKey,
} from "../chain/chain.ts";
import type { ChainKeys } from "../chain/chain-keys.ts";
import { firstRowId, readState } from "../chain/store.ts";
import {
  type AnchorFault,
  type AnchorJudgement,
  type AnchorVerdict,
  type HeadAnchor,
  judgeAnchor,
  type StoredChain,
  unprovable,
} from "./anchor.ts";
import { type ChainFault, createChainWalk } from "./walk.ts";
import { countRows, rowById, rowsAfter } from "./walk-reads.ts";

/** Rows per page: bounds the memory, and the time that the event loop is blocked with the embedded database. */
const pageRows = 500;

export interface VerifyOptions {
  /** Checks only this many of the oldest rows; head, counts and deleted users are then not checked. */
  readonly limit?: number | undefined;
  /** A head that was recorded earlier. */
  readonly anchor?: HeadAnchor | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called after each page with the number of rows checked so far and the total number of rows. */
  readonly onProgress?: ((rows: number, of: number) => void) | undefined;
}

export interface VerifyResult {
  readonly outcome: "clean" | "failed";
  readonly fault: ChainFault | null;
  readonly rows: number;
  /** False when `limit` ended the walk. */
  readonly isComplete: boolean;
  readonly state: ChainState | null;
  /** Null when no anchor was given. */
  readonly anchor: AnchorVerdict | null;
  /** Why the anchor is unprovable. */
  readonly anchorFault: AnchorFault | null;
}

/**
 * Walks the whole chain in one read snapshot, so that concurrent appends and pruning do no harm.
 *
 * @throws ChainVerificationError when there can be no verdict: no chain has begun, or a secret that signed rows is not configured.
 */
export const verifyChain = (
  database: Pick<BrainDatabase, "snapshot">,
  keys: ChainKeys,
  options: VerifyOptions = {},
): Promise<VerifyResult> =>
  database.snapshot(async (db) => {
    const state = await stateIn(db, keys);
    if (state === null) {
      const fault: ChainFault = { reason: "state", row_id: null, occurred_us: null };
      const judged = options.anchor === undefined ? null : unprovable("state");
      return { outcome: "failed", fault, rows: 0, isComplete: true, state, ...anchorPart(judged) };
    }
    const walked = await walkRows(db, { state, keys }, options);
    let judged = options.anchor === undefined ? null : await judgeAnchor(options.anchor, state, storedIn(db, keys));
    if (walked.fault !== null && judged?.reason === null) judged = unprovable("chain");
    return { outcome: walked.fault === null ? "clean" : "failed", ...walked, state, ...anchorPart(judged) };
  });

const anchorPart = (judged: AnchorJudgement | null) => ({
  anchor: judged?.verdict ?? null,
  anchorFault: judged?.reason ?? null,
});

/** Compares a recorded head with the chain. @throws ChainVerificationError, ChainIntegrityError */
export const verifyAnchor = (
  database: Pick<BrainDatabase, "snapshot">,
  keys: ChainKeys,
  anchor: HeadAnchor,
): Promise<AnchorJudgement> =>
  database.snapshot(async (db) => {
    const state = await stateIn(db, keys);
    return state === null ? unprovable("state") : judgeAnchor(anchor, state, storedIn(db, keys));
  });

/** The authenticated state; null when it is not what this installation signed. */
async function stateIn(db: Db, keys: ChainKeys): Promise<ChainState | null> {
  const sealed = await readState(db);
  if (sealed === undefined) {
    if ((await firstRowId(db)) === null) throw new ChainVerificationError("no chain has begun in this database");
    return null;
  }
  try {
    const state = openState(sealed, keys);
    const missing = Object.keys(state.active_key_counts).find((id) => keys.find(id) === undefined);
    if (missing !== undefined)
      throw new ChainVerificationError(`rows are signed by key ${missing}, which is not configured`);
    return state;
  } catch (error) {
    if (error instanceof UnknownChainKey) throw new ChainVerificationError(error.message, { cause: error });
    if (error instanceof ChainIntegrityError) return null;
    throw error;
  }
}

const storedIn = (db: Db, keys: ChainKeys): StoredChain => ({
  async find(id) {
    const row = await rowById(db, id);
    if (row === undefined) return null;
    const key = keys.find(row.hmac_key_id);
    return { row, isGenuine: key !== undefined && equalSecrets(rowHmac(key, row), row.row_hmac) };
  },
  countRows: () => countRows(db),
});

async function walkRows(
  db: Db,
  { state, keys }: { state: ChainState; keys: ChainKeys },
  { limit = Number.POSITIVE_INFINITY, signal, onProgress }: VerifyOptions,
): Promise<{ fault: ChainFault | null; rows: number; isComplete: boolean }> {
  const walk = createChainWalk(state, keys);
  for (let last: AuditLogRow | null = null; ; ) {
    signal?.throwIfAborted();
    const wanted = Math.min(pageRows, limit - walk.rows);
    if (wanted <= 0) return { fault: null, rows: walk.rows, isComplete: false };
    const page: AuditLogRow[] = await rowsAfter(db, last, wanted);
    for (const row of page) {
      const fault = walk.next(row);
      if (fault !== null) return { fault, rows: walk.rows, isComplete: true };
    }
    onProgress?.(walk.rows, state.active_row_count);
    last = page.at(-1) ?? null;
    if (page.length < wanted) return { fault: walk.end(), rows: walk.rows, isComplete: true };
    await setImmediate();
  }
}
