/**
 * The format of the audit chain (docs/reference/audit-format.md). Each row is signed together with the signature of the row before it, and
 * one state row signs the current head. Changing, dropping or reordering a row breaks a signature; truncating the chain breaks the state
 * row. All text here is canonical JSON, so every verifier signs the same bytes.
 */
import { createHash, createHmac } from "node:crypto";
import { canonicalText, equalSecrets, parseJson } from "@svc/protocol";
import type { AuditLogRow } from "../../../schema/tables/index.ts";
import type { ChainKey, ChainKeys } from "./chain-keys.ts";

const rowLabel = "svc/audit-chain/row/v2\0";
const stateLabel = "svc/audit-chain/state/v1\0";
const actorLabel = "svc/audit-chain/actor/v1\0";

/** Version of the row format, stored with each row. */
export const rowVersion = 2;

/**
 * The fields that a row's signature covers, in addition to the version. `metadata` is canonical text, `occurred_us` microseconds since the
 * epoch.
 */
export type SignedRow = Omit<AuditLogRow, "user_id" | "row_hmac" | "hmac_version" | "legacy_class">;

/**
 * Canonical text of a row, which includes the stored metadata text byte for byte. The keys are written in canonical order and
 * JSON.stringify prints well-formed strings canonically, so walking a long chain is fast.
 */
export function canonicalRow(row: SignedRow): string {
  const text = JSON.stringify;
  return `{"action":${text(row.action)},"actor_ref":${text(row.actor_ref)},"api_key_id":${text(row.api_key_id)},"chain_generation":${text(row.chain_generation)},"event_id":${text(row.event_id)},"hmac_key_id":${text(row.hmac_key_id)},"id":${text(row.id)},"metadata":${row.metadata},"occurred_at":"${instantOfMicros(row.occurred_us)}","outcome":${text(row.outcome)},"prev_row_hmac":${text(row.prev_row_hmac)},"project_id":${text(row.project_id)},"result":${text(row.result)},"source_ip":${text(row.source_ip)},"target_id":${text(row.target_id)},"target_type":${text(row.target_type)},"user_agent":${text(row.user_agent)},"version":${rowVersion}}`;
}

export const rowHmac = (key: ChainKey, row: SignedRow): string =>
  createHmac("sha256", key.secret)
    .update(rowLabel + canonicalRow(row))
    .digest("hex");

/** An instant with microseconds as rows sign it: UTC, six decimals, `+00:00`. */
export function instantOfMicros(micros: number): string {
  const millis = Math.floor(micros / 1000);
  const rest = String(micros - millis * 1000).padStart(3, "0");
  return `${new Date(millis).toISOString().slice(0, -1)}${rest}+00:00`;
}

/** Represents a user in signed rows, so that deleting the user can clear user_id without breaking the chain. */
export const actorRef = (installationId: string, userId: string): string =>
  createHash("sha256").update(`${actorLabel}${installationId}\0${userId}`).digest("hex");

/** A position in the chain: its last row, or the last row that pruning removed. */
export interface ChainPoint {
  row_hmac: string;
  key_id: string;
  occurred_us: number;
  id: string;
}

export interface ChainState {
  generation: string;
  installation_id: string;
  head: ChainPoint | null;
  prune: ChainPoint | null;
  active_row_count: number;
  /** Rows per key id; their sum is active_row_count. */
  active_key_counts: Record<string, number>;
}

export interface SealedState {
  state: string;
  state_hmac: string;
}

/** Thrown when the chain's state is not what this installation signed; nothing may be appended then. */
export class ChainIntegrityError extends Error {
  constructor(message: string) {
    super(`audit chain: ${message}`);
    this.name = "ChainIntegrityError";
  }
}

/** Thrown when the verification itself could not be done, so there is no verdict on the chain. */
export class ChainVerificationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(`audit chain: ${message}`, options);
    this.name = "ChainVerificationError";
  }
}

const pointOut = (point: ChainPoint | null) =>
  point && {
    row_hmac: point.row_hmac,
    key_id: point.key_id,
    occurred_at: instantOfMicros(point.occurred_us),
    id: point.id,
  };

/** The chain was begun, or last written, under a secret that is not configured. */
export class UnknownChainKey extends ChainIntegrityError {
  constructor() {
    super("the state row was signed by a key that is not configured");
  }
}

/** The state as text, signed with the current key. */
export function sealState(state: ChainState, keys: ChainKeys): SealedState {
  const text = canonicalText({
    format_version: 1,
    generation: state.generation,
    installation_id: state.installation_id,
    state_key_id: keys.current.id,
    head: pointOut(state.head),
    prune: pointOut(state.prune),
    active_row_count: state.active_row_count,
    active_key_counts: state.active_key_counts,
  });
  return { state: text, state_hmac: stateHmac(keys.current, text) };
}

const stateHmac = (key: ChainKey, text: string): string =>
  createHmac("sha256", key.secret).update(stateLabel).update(text).digest("hex");

/**
 * Authenticates and parses a sealed state.
 *
 * @throws UnknownChainKey when it was signed by an unknown key, ChainIntegrityError when its signature is wrong or it is inconsistent.
 */
export function openState(sealed: SealedState, keys: ChainKeys): ChainState {
  const found = parsedState(sealed.state);
  const key = typeof found.state_key_id === "string" ? keys.find(found.state_key_id) : undefined;
  if (key === undefined) throw new UnknownChainKey();
  if (!equalSecrets(stateHmac(key, sealed.state), sealed.state_hmac)) {
    throw new ChainIntegrityError("the state row does not authenticate");
  }
  // This installation signed it, so its shape is known; only its consistency is left to check.
  const state: ChainState = {
    generation: found.generation as string,
    installation_id: found.installation_id as string,
    head: pointIn(found.head),
    prune: pointIn(found.prune),
    active_row_count: found.active_row_count as number,
    active_key_counts: found.active_key_counts as Record<string, number>,
  };
  const counted = Object.values(state.active_key_counts).reduce((sum, count) => sum + count, 0);
  if (counted !== state.active_row_count) throw new ChainIntegrityError("the state row's counts disagree");
  if (state.active_row_count > 0 && state.head === null)
    throw new ChainIntegrityError("the state row has rows but no head");
  return state;
}

function parsedState(text: string): Record<string, unknown> {
  try {
    const value = parseJson(text);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Falls through: this installation never writes text that is not JSON.
  }
  throw new ChainIntegrityError("the state row is not readable");
}

function pointIn(value: unknown): ChainPoint | null {
  if (value === null || value === undefined) return null;
  const { row_hmac, key_id, occurred_at, id } = value as Record<string, string>;
  return { row_hmac: row_hmac!, key_id: key_id!, occurred_us: microsOf(occurred_at!), id: id! };
}

/** The inverse of `instantOfMicros`. */
export function microsOf(text: string): number {
  return Date.parse(`${text.slice(0, 23)}Z`) * 1000 + Number(text.slice(23, 26));
}
