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
      ...(outcome.status === "failed" ? { error: errorText(outcome.error, redactor), ...openOf(outcome) } : {}),
    });
    const sizeBytes = Buffer.byteLength(text);
    if (sizeBytes <= payloadLimitBytes - tokenBytes) return text;
    reason = `its result of ${sizeBytes} bytes is too large to be sent`;
  } catch {
    // Whatever an adapter put there: no canonical form, a cycle, an accessor that throws.
    reason = "its result cannot be sent because it is not JSON";
  }
  return withoutResult(outcome, reason);
}

/** The outcome without its result and with a short error: what is kept of many old ones. */
export function shortenOutcome(text: string): string {
  const { error, ...outcome } = JSON.parse(text) as SentOutcome;
  const { status } = outcome;
  return canonicalText(
    error === undefined
      ? { status }
      : { status, error: cutCharacters(error, maxShortErrorCharacters), ...openOf(outcome) },
  );
}

/** In the place of a result that is too large for the way to the brain: one that says so. Undefined when it is small already. */
export function smallerResult({ type, frameId, payload, sizeBytes }: BufferEntry): NewEntry | undefined {
  if (type !== "command_result" || sizeBytes <= smallestBytes) return undefined;
  const { delivery_claim_token: token = null, ...outcome } = JSON.parse(payload) as SentOutcome;
  const reason = `its result of ${sizeBytes} bytes is larger than what the way to the service lets through`;
  return resultEntry(frameId, withoutResult(outcome, reason), token);
}

/** What `encodeOutcome` wrote, and `resultEntry` added to it. */
interface SentOutcome {
  readonly status: CommandOutcome["status"];
  readonly error?: string;
  readonly outcome?: "unknown";
  readonly delivery_claim_token?: string;
}

const openOf = ({ outcome }: { readonly outcome?: unknown }) => (outcome === "unknown" ? { outcome } : {});

/** In the place of what cannot be sent; of what it did, where it did something, nobody hears. */
function withoutResult(ended: Pick<SentOutcome, "status" | "outcome">, reason: string): string {
  const outcome = ended.status === "success" ? "unknown" : ended.outcome;
  return canonicalText({
    status: "failed",
    error: `the command ended with ${ended.status}, but ${reason}`,
    ...openOf({ outcome }),
  });
}

function errorText(error: unknown, redactor: Redactor): string {
  return cutCharacters(String(redactor.redact(String(error))), maxErrorCharacters);
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
