/**
 * The head anchor (spec part 3, section 8 rule 8): where the chain stood at some moment, written down outside of the database. Whoever cuts
 * the end off, or puts an older copy of the database back, cannot make the chain contain it again.
 */
import { canonicalText, isUuid } from "@svc/protocol";
import type { AuditLogRow } from "../../schema/tables/index.ts";
import { type ChainPoint, type ChainState, instantOfMicros, microsOf, rowVersion } from "./chain.ts";

export interface HeadAnchor {
  readonly generation: string;
  readonly hmac_key_id: string;
  readonly hmac_version: typeof rowVersion;
  readonly id: string;
  /** UTC, six decimals, `Z`. */
  readonly occurred_at: string;
  readonly row_hmac: string;
}

/** CURRENT_MATCH: it is the head. VERIFIED_ANCESTOR: the chain has gone on from it. UNPROVABLE: nothing shows that it ever held it. */
export type AnchorVerdict = "CURRENT_MATCH" | "VERIFIED_ANCESTOR" | "UNPROVABLE";

/** The head as a file holds it: canonical JSON and one newline; null for a chain without a head. */
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

/** Reads an anchor. @throws RangeError for anything but an object with exactly its six keys. */
export function parseAnchor(text: string): HeadAnchor {
  const value = jsonOf(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new RangeError("it is no JSON object");
  const given = value as Record<string, unknown>;
  for (const key of Object.keys(given))
    if (!Object.hasOwn(members, key)) throw new RangeError(`it has the unknown key ${JSON.stringify(key)}`);
  for (const [key, fits] of Object.entries(members)) {
    if (!Object.hasOwn(given, key)) throw new RangeError(`it lacks the key ${key}`);
    if (!fits(given[key])) throw new RangeError(`its ${key} is not valid`);
  }
  return given as unknown as HeadAnchor;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RangeError("it is no JSON");
  }
}

type AnchoredRow = Pick<
  AuditLogRow,
  "id" | "occurred_us" | "row_hmac" | "hmac_key_id" | "hmac_version" | "chain_generation"
>;

/** Holds an anchor against the authenticated state, and against the row it names where that is still there. */
export async function judgeAnchor(
  anchor: HeadAnchor,
  state: Pick<ChainState, "generation" | "head" | "prune">,
  rowOf: (id: string) => Promise<AnchoredRow | null>,
): Promise<AnchorVerdict> {
  if (anchor.generation !== state.generation) return "UNPROVABLE";
  if (state.head !== null && isPoint(anchor, state.head)) return "CURRENT_MATCH";
  const row = await rowOf(anchor.id);
  if (row !== null) return isRow(anchor, row) ? "VERIFIED_ANCESTOR" : "UNPROVABLE";
  const { prune } = state;
  if (prune === null) return "UNPROVABLE";
  const occurredUs = microsOf(anchor.occurred_at);
  const isBefore =
    occurredUs < prune.occurred_us ||
    (occurredUs === prune.occurred_us && anchor.id < prune.id) ||
    isPoint(anchor, prune);
  return isBefore ? "VERIFIED_ANCESTOR" : "UNPROVABLE";
}

const isPoint = (anchor: HeadAnchor, point: ChainPoint): boolean =>
  anchor.row_hmac === point.row_hmac &&
  anchor.id === point.id &&
  anchor.hmac_key_id === point.key_id &&
  microsOf(anchor.occurred_at) === point.occurred_us;

const isRow = (anchor: HeadAnchor, row: AnchoredRow): boolean =>
  row.chain_generation === anchor.generation &&
  row.hmac_version === anchor.hmac_version &&
  isPoint(anchor, { row_hmac: row.row_hmac, id: row.id, key_id: row.hmac_key_id, occurred_us: row.occurred_us });
