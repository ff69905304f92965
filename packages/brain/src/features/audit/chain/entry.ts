import { canonicalText, cutCharacters, withoutNul } from "@svc/protocol";

export type AuditResult = "success" | "failed" | (string & {});

/** A caller's description of one action. The chain adds all other fields of the row (time, links, signatures). */
export interface AuditEntry {
  action: string;
  target_type: string;
  target_id?: string | null;
  result?: AuditResult;
  /** Default: allow for success, failure for failed, else error. */
  outcome?: string | null;
  project_id?: string | null;
  user_id?: string | null;
  api_key_id?: string | null;
  source_ip?: string | null;
  user_agent?: string | null;
  metadata?: Record<string, unknown>;
  event_id?: string | null;
}

const maxMetadataBytes = 16 * 1024;

/** Truncates and completes an entry. Never throws: an action must not fail because of its description. */
export function prepareEntry(entry: AuditEntry) {
  const result = storable(entry.result ?? "success", 20);
  return {
    action: storable(entry.action, 80),
    target_type: storable(entry.target_type, 40),
    target_id: storableOrNull(entry.target_id, 200),
    result,
    outcome: storableOrNull(entry.outcome, 20) ?? defaultOutcome(result),
    project_id: entry.project_id ?? null,
    user_id: entry.user_id ?? null,
    api_key_id: entry.api_key_id ?? null,
    source_ip: storableOrNull(entry.source_ip, 64),
    user_agent: storableOrNull(entry.user_agent, 512),
    metadata: metadataText(entry.metadata ?? {}),
    event_id: storableOrNull(entry.event_id, 200),
  };
}

/** An entry with its limits applied and its metadata as the canonical text that is signed and stored. */
export type PreparedEntry = ReturnType<typeof prepareEntry>;

function defaultOutcome(result: string): string {
  if (result === "success") return "allow";
  return result === "failed" ? "failure" : "error";
}

/** Well-formed, without U+0000 (no database column accepts it), at most `max` characters. */
function storable(text: string, max: number): string {
  return cutCharacters(withoutNul(text.toWellFormed()), max);
}

function storableOrNull(text: string | null | undefined, max: number): string | null {
  return text === null || text === undefined ? null : storable(text, max);
}

/** Canonical text of at most 16 KiB; larger metadata keeps the scalar keys that fit, plus `truncated`. */
function metadataText(metadata: Record<string, unknown>): string {
  const whole = canonicalOrNull(metadata);
  if (whole !== null && Buffer.byteLength(whole) <= maxMetadataBytes) return whole;
  const kept: Record<string, unknown> = { truncated: true };
  let sizeBytes = Buffer.byteLength(canonicalText(kept));
  for (const [key, value] of Object.entries(metadata)) {
    if (key === "truncated" || (typeof value === "object" && value !== null)) continue;
    const member = canonicalOrNull({ [key]: value });
    if (member === null || member === "{}") continue;
    // The braces of the single member make up for its comma.
    const memberBytes = Buffer.byteLength(member) - 1;
    if (sizeBytes + memberBytes > maxMetadataBytes) continue;
    sizeBytes += memberBytes;
    kept[key] = value;
  }
  return canonicalText(kept);
}

function canonicalOrNull(value: Record<string, unknown>): string | null {
  try {
    return canonicalText(value);
  } catch {
    return null;
  }
}
