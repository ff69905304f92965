/**
 * The walk over the chain. Each row is checked on its own and against the one before it, in this order, and the walk ends at the first row
 * that fails: the rows after it prove nothing. docs/reference/audit-format.md documents the same order, so that an independent verifier
 * names the same row.
 */
import { parseJson } from "@svc/protocol";
import type { AuditLogRow } from "../../../schema/tables/index.ts";
import {
  actorRef,
  type ChainPoint,
  type ChainState,
  ChainVerificationError,
  rowHmac,
  rowVersion,
} from "../chain/chain.ts";
import type { ChainKeys } from "../chain/chain-keys.ts";

/** The fault of a chain. `state`: its state row; `counts`: the rows as a whole; all others name a row. */
export type FaultReason =
  | "state"
  | "version"
  | "generation"
  | "key"
  | "signature"
  | "order"
  | "link"
  | "after_head"
  | "actor"
  | "head_missing"
  | "counts";

export interface ChainFault {
  readonly reason: FaultReason;
  /** The first bad row; null when it is the state row, or the number of rows. */
  readonly row_id: string | null;
  readonly occurred_us: number | null;
}

/** Maximum number of deleted users whose deletion the walk has not reached yet; more of them end it. */
const maxUnexplained = 200_000;
/** Cached references; one user often acts many times in a row. */
const maxKnownRefs = 5000;

/** A walk from the prune point, or from the first row of the generation. */
export function createChainWalk(state: ChainState, keys: ChainKeys) {
  let previous: ChainPoint | null = state.prune;
  let rows = 0;
  const keyCounts = new Map<string, number>();
  /** Maps the reference of a deleted user to the first row that needs the deletion. */
  const unexplained = new Map<string, ChainFault>();
  const knownRefs = new Map<string, string>();

  const isHead = (point: ChainPoint | null) => point?.row_hmac === state.head?.row_hmac;
  const fault = (reason: FaultReason, row: Pick<AuditLogRow, "id" | "occurred_us">): ChainFault => ({
    reason,
    row_id: row.id,
    occurred_us: row.occurred_us,
  });

  function refOf(userId: string): string {
    let ref = knownRefs.get(userId);
    if (ref === undefined) {
      ref = actorRef(state.installation_id, userId);
      if (knownRefs.size >= maxKnownRefs) knownRefs.clear();
      knownRefs.set(userId, ref);
    }
    return ref;
  }

  /** False when the row's user is not the one that it was signed for. */
  function actorAgrees(row: AuditLogRow): boolean {
    if (row.action === "user.deleted") unexplained.delete(deletedRef(row.metadata));
    if (row.user_id !== null) return refOf(row.user_id) === row.actor_ref;
    if (row.actor_ref !== null && !unexplained.has(row.actor_ref)) {
      if (unexplained.size >= maxUnexplained)
        throw new ChainVerificationError(`more than ${maxUnexplained} deleted users are unexplained`);
      unexplained.set(row.actor_ref, fault("actor", row));
    }
    return true;
  }

  function judge(row: AuditLogRow): FaultReason | null {
    if (row.hmac_version !== rowVersion || row.legacy_class !== null) return "version";
    if (row.chain_generation !== state.generation) return "generation";
    const key = keys.find(row.hmac_key_id);
    if (key === undefined) return "key";
    if (rowHmac(key, row) !== row.row_hmac) return "signature";
    if (previous !== null && !isLater(row, previous)) return "order";
    if (row.prev_row_hmac !== (previous?.row_hmac ?? null)) return "link";
    if (isHead(previous)) return "after_head";
    return actorAgrees(row) ? null : "actor";
  }

  return {
    get rows(): number {
      return rows;
    },
    keyCounts,
    /** Checks the next row; the first fault ends the walk. */
    next(row: AuditLogRow): ChainFault | null {
      const reason = judge(row);
      if (reason !== null) return fault(reason, row);
      rows += 1;
      keyCounts.set(row.hmac_key_id, (keyCounts.get(row.hmac_key_id) ?? 0) + 1);
      previous = { row_hmac: row.row_hmac, key_id: row.hmac_key_id, occurred_us: row.occurred_us, id: row.id };
      return null;
    },
    /** Checks what is known only at the end: head, counts, actors. */
    end(): ChainFault | null {
      const { head } = state;
      if (!isHead(previous) && head !== null) return fault("head_missing", head);
      const counts = state.active_key_counts;
      const agrees =
        rows === state.active_row_count && Object.keys(counts).every((id) => (keyCounts.get(id) ?? 0) === counts[id]);
      if (!agrees) return { reason: "counts", row_id: null, occurred_us: null };
      const [first] = unexplained.values();
      return first ?? null;
    },
  };
}

const isLater = (row: AuditLogRow, point: ChainPoint): boolean =>
  row.occurred_us > point.occurred_us || (row.occurred_us === point.occurred_us && row.id > point.id);

function deletedRef(metadata: string): string {
  const { actor_ref } = parseJson(metadata) as { actor_ref?: unknown };
  return typeof actor_ref === "string" ? actor_ref : "";
}
