import { CanonicalError, canonicalText } from "@svc/protocol";
import type { NewEntry } from "../buffer/entry.ts";
import { payloadLimitBytes } from "../events/frame-builder.ts";

/** Buffer entry of an ack or result; a result that no frame can carry becomes a failed one that says so. */
export function replyEntry(
  type: "command_ack" | "command_result",
  frameId: string,
  payload: Record<string, unknown>,
): NewEntry {
  const text = encode(payload);
  return { type, frameId, records: 0, payload: text, sizeBytes: Buffer.byteLength(text) };
}

function encode(payload: Record<string, unknown>): string {
  try {
    const text = canonicalText(payload);
    if (Buffer.byteLength(text) <= payloadLimitBytes) return text;
  } catch (error) {
    if (!(error instanceof CanonicalError)) throw error;
  }
  const { delivery_claim_token: token } = payload;
  const error = `the command ended with ${String(payload.status)}, but its result cannot be sent`;
  return canonicalText({ status: "failed", error, ...(token === undefined ? {} : { delivery_claim_token: token }) });
}
