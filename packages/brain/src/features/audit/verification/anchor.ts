/**
 * The head anchor: the head of the chain at some moment, recorded outside the database. After the chain was truncated, or an older copy of
 * the database restored, the chain can never contain the anchored row again.
 */
import { canonicalText, isUuid } from "@svc/protocol";
import type { AuditLogRow } from "../../../schema/tables/index.ts";
import { type ChainPoint, type ChainState, instantOfMicros, microsOf, rowVersion } from "../chain/chain.ts";

export interface HeadAnchor {
  readonly generation: string;
  readonly hmac_key_id: string;
  readonly hmac_version: typeof rowVersion;
  readonly id: string;
  /** UTC, six decimals, `Z`. */
  readonly occurred_at: string;
  readonly row_hmac: string;
}

/**
 * CURRENT_MATCH: it is the head. VERIFIED_ANCESTOR: the chain has grown since. UNPROVABLE: nothing proves that the chain ever contained it.
 */
export type AnchorVerdict = "CURRENT_MATCH" | "VERIFIED_ANCESTOR" | "UNPROVABLE";

/**
 * Why an anchor is unprovable. `state`: the state row does not authenticate. `generation`: the chain was restarted. `row_missing`,
 * `row_altered`: the anchored row was deleted or changed. `row_differs`: the row is genuine, but not the one in the anchor. `head_missing`,
 * `head_altered`: the row that the state names as the head was deleted or changed. `newer_than_head`: the state is older than the anchor.
 * `row_count`: other rows were deleted or added. `chain`: the walk over all rows failed.
 */
export type AnchorFault =
  | "state"
  | "generation"
  | "row_missing"
  | "row_altered"
  | "row_differs"
  | "head_missing"
  | "head_altered"
  | "newer_than_head"
  | "row_count"
  | "chain";

export interface AnchorJudgement {
  readonly verdict: AnchorVerdict;
  /** Set for UNPROVABLE only. */
  readonly reason: AnchorFault | null;
}

export const unprovable = (reason: AnchorFault): AnchorJudgement => ({ verdict: "UNPROVABLE", reason });

/** The head in the format of an anchor file: canonical JSON and one newline; null for a chain without a head. */
export function anchorText({ head, generation }: ChainState): string | null {
  if (head === null) return null;
  const anchor: HeadAnchor = {
    generation,
    hmac_key_id: head.key_id,
    hmac_version: rowVersion,
    id: head.id,
    occurred_at: `${instantOfMicros(head.occurred_us).slice(0, 26)}Z`,
    row_hmac: head.row_hmac,
  };
  return `${canonicalText(anchor)}\n`;
}

const isDigest = (value: unknown) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
const isId = (value: unknown) => typeof value === "string" && isUuid(value);
const isInstant = (value: unknown) =>
  typeof value === "string" &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(value) &&
  !Number.isNaN(Date.parse(value));

const members: Readonly<Record<keyof HeadAnchor, (value: unknown) => boolean>> = {
  generation: isId,
  hmac_key_id: isDigest,
  hmac_version: (value) => value === rowVersion,
  id: isId,
  occurred_at: isInstant,
  row_hmac: isDigest,
};

/** Parses an anchor. @throws RangeError for anything but an object with exactly its six keys. */
export function parseAnchor(text: string): HeadAnchor {
  const value = jsonOf(text);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new RangeError("it is not a JSON object");
  const given = value as Record<string, unknown>;
  for (const key of Object.keys(given))
    if (!Object.hasOwn(members, key)) throw new RangeError(`it has the unknown key ${JSON.stringify(key)}`);
  for (const [key, fits] of Object.entries(members)) {
    if (!Object.hasOwn(given, key)) throw new RangeError(`the key ${key} is missing`);
    if (!fits(given[key])) throw new RangeError(`its ${key} is not valid`);
  }
  return given as unknown as HeadAnchor;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RangeError("it is not valid JSON");
  }
}

type AnchoredRow = Pick<
  AuditLogRow,
  "id" | "occurred_us" | "row_hmac" | "hmac_key_id" | "hmac_version" | "chain_generation"
>;

/** A stored row, and whether its signature is valid. */
interface FoundRow {
  readonly row: AnchoredRow;
  readonly isGenuine: boolean;
}

export interface StoredChain {
  /** Null for a row that does not exist. */
  find(id: string): Promise<FoundRow | null>;
  countRows(): Promise<number>;
}

/**
 * Compares an anchor with the authenticated state and with the stored rows. The state alone proves nothing: the row that it names as the
 * head, and the anchored row, must exist with a valid signature, unless the state says that they were pruned.
 */
export async function judgeAnchor(
  anchor: HeadAnchor,
  { generation, head, prune, active_row_count }: ChainState,
  { find, countRows }: StoredChain,
): Promise<AnchorJudgement> {
  if (anchor.generation !== generation) return unprovable("generation");
  const point = pointOf(anchor);
  if (head === null || isLater(point, head)) return unprovable("newer_than_head");
  if (prune === null || !isSame(head, prune)) {
    const fault = faultOf(await find(head.id), head, generation);
    if (fault !== null) return unprovable(fault === "row_missing" ? "head_missing" : "head_altered");
  }
  const isHead = isSame(point, head);
  if (!isHead) {
    const found = await find(anchor.id);
    const isPruned = found === null && prune !== null && (isSame(point, prune) || isLater(prune, point));
    const fault = isPruned ? null : faultOf(found, point, generation);
    if (fault !== null) return unprovable(fault);
  }
  if ((await countRows()) !== active_row_count) return unprovable("row_count");
  return { verdict: isHead ? "CURRENT_MATCH" : "VERIFIED_ANCESTOR", reason: null };
}

function faultOf(
  found: FoundRow | null,
  point: ChainPoint,
  generation: string,
): "row_missing" | "row_altered" | "row_differs" | null {
  if (found === null) return "row_missing";
  const { row, isGenuine } = found;
  if (!isGenuine) return "row_altered";
  const isNamed =
    row.chain_generation === generation &&
    row.hmac_version === rowVersion &&
    isSame(point, { row_hmac: row.row_hmac, id: row.id, key_id: row.hmac_key_id, occurred_us: row.occurred_us });
  return isNamed ? null : "row_differs";
}

const pointOf = (anchor: HeadAnchor): ChainPoint => ({
  row_hmac: anchor.row_hmac,
  key_id: anchor.hmac_key_id,
  occurred_us: microsOf(anchor.occurred_at),
  id: anchor.id,
});

const isSame = (a: ChainPoint, b: ChainPoint): boolean =>
  a.row_hmac === b.row_hmac && a.id === b.id && a.key_id === b.key_id && a.occurred_us === b.occurred_us;

/** Whether `a` comes after `b` in the order of the chain. */
const isLater = (a: ChainPoint, b: ChainPoint): boolean =>
  a.occurred_us > b.occurred_us || (a.occurred_us === b.occurred_us && a.id > b.id);
