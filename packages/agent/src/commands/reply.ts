import { canonicalText, cutCharacters, isRawJson, type Redactor } from "@svc/protocol";
import type { BufferEntry, NewEntry } from "../buffer/entry.ts";
import { payloadLimitBytes } from "../events/frame-builder.ts";
import type { CommandOutcome } from "./command.ts";

const maxErrorCharacters = 8_192;
const maxExcerptCharacters = 512;
const maxShortErrorCharacters = 200;
/** Room for the token and its key. */
const tokenBytes = 512;
/** Maximum size of a shortened outcome, with every character of its error escaped. */
const smallestBytes = 2_048;
/** Engine texts inside results. Ids are not redacted, because they must stay usable. */
const redactedKeys: ReadonlySet<string> = new Set(["error", "exception", "error_excerpt"]);

/** Buffer entry of a command_ack. */
export function ackEntry(commandId: string, token: string | null): NewEntry {
  return entryOf("command_ack", commandId, token === null ? "{}" : canonicalText({ delivery_claim_token: token }));
}

/** Buffer entry of a command_result. @param outcome text from `encodeOutcome`. */
export function resultEntry(commandId: string, outcome: string, token: string | null): NewEntry {
  // In canonical order this key precedes error, result and status, one of which is always present.
  const payload = token === null ? outcome : `{"delivery_claim_token":${canonicalText(token)},${outcome.slice(1)}`;
  return entryOf("command_result", commandId, payload);
}

/**
 * An outcome as canonical JSON of a result's payload, without token. Engine texts are redacted. An outcome that fits no frame becomes a
 * failed outcome with an explanation.
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
    reason = `its result of ${sizeBytes} bytes is too large to send`;
  } catch {
    // The adapter's value has no canonical form, has a cycle, or a getter that throws.
    reason = "its result is not JSON and cannot be sent";
  }
  return withoutResult(outcome, reason);
}

/** The outcome without its result and with a short error, the form kept for old commands. */
export function shortenOutcome(text: string): string {
  const { error, ...outcome } = JSON.parse(text) as SentOutcome;
  const { status } = outcome;
  return canonicalText(
    error === undefined
      ? { status }
      : { status, error: cutCharacters(error, maxShortErrorCharacters), ...openOf(outcome) },
  );
}

/** Replaces a result that is too large for the connection by a failed one with an explanation. Undefined when it is small already. */
export function smallerResult({ type, frameId, payload, sizeBytes }: BufferEntry): NewEntry | undefined {
  if (type !== "command_result" || sizeBytes <= smallestBytes) return undefined;
  const { delivery_claim_token: token = null, ...outcome } = JSON.parse(payload) as SentOutcome;
  const reason = `its result of ${sizeBytes} bytes is larger than the connection to the service allows`;
  return resultEntry(frameId, withoutResult(outcome, reason), token);
}

/** The text of `encodeOutcome` with the token that `resultEntry` adds. */
interface SentOutcome {
  readonly status: CommandOutcome["status"];
  readonly error?: string;
  readonly outcome?: "unknown";
  readonly delivery_claim_token?: string;
}

const openOf = ({ outcome }: { readonly outcome?: unknown }) => (outcome === "unknown" ? { outcome } : {});

/** Replaces a result that cannot be sent. A success becomes an unknown outcome, because its details are lost. */
function withoutResult(ended: Pick<SentOutcome, "status" | "outcome">, reason: string): string {
  const outcome = ended.status === "success" ? "unknown" : ended.outcome;
  return canonicalText({
    status: "failed",
    error: `the command finished with ${ended.status}, but ${reason}`,
    ...openOf({ outcome }),
  });
}

function errorText(error: unknown, redactor: Redactor): string {
  return cutCharacters(String(redactor.redact(String(error))), maxErrorCharacters);
}

function redactTexts(value: unknown, redactor: Redactor, key?: string): unknown {
  if (typeof value === "string" && key !== undefined && redactedKeys.has(key)) {
    // The end of an error text is the most useful part. It is cut before redaction.
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
