import { canonicalText, cutCharacters, isRawJson, type Redactor } from "@svc/protocol";
import type { BufferEntry, NewEntry } from "../buffer/entry.ts";
import { payloadLimitBytes } from "../events/frame-builder.ts";
import type { CommandOutcome } from "./command.ts";

const maxErrorCharacters = 8_192;
const maxExcerptCharacters = 512;
const maxShortErrorCharacters = 200;
/** Room for the token and what stands around it. */
const tokenBytes = 512;
/** What a shortened outcome takes at most, with every character of its error escaped. */
const smallestBytes = 2_048;
/** Texts of engines inside results; ids and the like are not redacted, because they would not be found again. */
const redactedKeys: ReadonlySet<string> = new Set(["error", "exception", "error_excerpt"]);

/** Buffer entry of a command_ack. */
export function ackEntry(commandId: string, token: string | null): NewEntry {
  return entryOf("command_ack", commandId, token === null ? "{}" : canonicalText({ delivery_claim_token: token }));
}

/** Buffer entry of a command_result. @param outcome text of `encodeOutcome`. */
export function resultEntry(commandId: string, outcome: string, token: string | null): NewEntry {
  // Canonical order puts this key before error, result and status, one of which is always there.
  const payload = token === null ? outcome : `{"delivery_claim_token":${canonicalText(token)},${outcome.slice(1)}`;
  return entryOf("command_result", commandId, payload);
}

/**
 * An outcome as canonical JSON of a result's payload, without token. Texts of the engine are redacted. What no frame can carry
 * becomes a failed outcome that says so.
 */
export function encodeOutcome(outcome: CommandOutcome, redactor: Redactor): string {
  let reason: string;
  try {
    const text = canonicalText({
      status: outcome.status,
      ...(outcome.result === undefined ? {} : { result: redactTexts(outcome.result, redactor) }),
      ...(outcome.status === "failed" ? { error: errorText(outcome.error, redactor) } : {}),
    });
    const sizeBytes = Buffer.byteLength(text);
    if (sizeBytes <= payloadLimitBytes - tokenBytes) return text;
    reason = `its result of ${sizeBytes} bytes is too large to be sent`;
  } catch {
    // Whatever an adapter put there: no canonical form, a cycle, an accessor that throws.
    reason = "its result cannot be sent because it is not JSON";
  }
  return canonicalText({ status: "failed", error: endedText(outcome.status, reason) });
}

/** The outcome without its result and with a short error: what is kept of many old ones. */
export function shortenOutcome(outcome: string): string {
  const { status, error } = JSON.parse(outcome) as { status: string; error?: string };
  return canonicalText(
    error === undefined ? { status } : { status, error: cutCharacters(error, maxShortErrorCharacters) },
  );
}

/** In the place of a result that is too large for the way to the brain: one that says so. Undefined when it is small already. */
export function smallerResult({ type, frameId, payload, sizeBytes }: BufferEntry): NewEntry | undefined {
  if (type !== "command_result" || sizeBytes <= smallestBytes) return undefined;
  const { delivery_claim_token: token = null, ...outcome } = JSON.parse(payload) as Record<string, string | null>;
  const error = endedText(
    String(outcome.status),
    `its result of ${sizeBytes} bytes is larger than what the way to the service lets through`,
  );
  return resultEntry(frameId, canonicalText({ status: "failed", error }), token);
}

function errorText(error: unknown, redactor: Redactor): string {
  return cutCharacters(String(redactor.redact(String(error))), maxErrorCharacters);
}

function endedText(status: string, reason: string): string {
  return `the command ended with ${status}, but ${reason}`;
}

function redactTexts(value: unknown, redactor: Redactor, key?: string): unknown {
  if (typeof value === "string" && key !== undefined && redactedKeys.has(key)) {
    // The end of a failure tells most; it is taken before the scan (spec part 3, section 3).
    return redactor.redact(key === "error_excerpt" ? value.slice(-maxExcerptCharacters) : value);
  }
  if (Array.isArray(value)) return value.map((item) => redactTexts(item, redactor));
  if (typeof value !== "object" || value === null || isRawJson(value)) return value;
  if ("toJSON" in value && typeof value.toJSON === "function") return redactTexts(value.toJSON(), redactor, key);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redactTexts(item, redactor, name)]));
}

function entryOf(type: "command_ack" | "command_result", frameId: string, payload: string): NewEntry {
  return { type, frameId, records: 0, payload, sizeBytes: Buffer.byteLength(payload) };
}
