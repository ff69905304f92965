import { randomBytes } from "node:crypto";
import { wireLimits } from "@svc/protocol";
import type { NewEntry } from "../buffer/entry.ts";

/**
 * Maximum bytes of one payload. Entries are built before a connection announces its maximum frame size, so a quarter of the default is left
 * for the envelope and for a brain with a slightly lower limit.
 */
export const payloadLimitBytes = (wireLimits.frameBytes * 3) / 4;

/** Maximum number of events per frame. */
export const eventsPerFrame = 500;
/** Room for the payload's other keys. */
const batchEnvelopeBytes = 64;

/** Maximum bytes of one event, so that it fits a frame alone. */
export const eventLimitBytes = payloadLimitBytes - batchEnvelopeBytes;

/** Groups canonical event texts into event_batch entries, in order, each within the count and size limits. */
export function buildBatches(records: readonly string[], sealedAt: string): NewEntry[] {
  const entries: NewEntry[] = [];
  let held: string[] = [];
  let heldBytes = 0;
  const seal = (): void => {
    if (held.length === 0) return;
    entries.push(batchEntry(held, sealedAt));
    held = [];
    heldBytes = 0;
  };
  for (const record of records) {
    const sizeBytes = Buffer.byteLength(record) + 1;
    if (held.length >= eventsPerFrame || heldBytes + sizeBytes > eventLimitBytes) seal();
    held.push(record);
    heldBytes += sizeBytes;
  }
  seal();
  return entries;
}

/** An event_batch of canonical event texts with a new frame id. Its keys are in canonical order. */
export function batchEntry(records: readonly string[], sealedAt: string): NewEntry {
  const payload = `{"events":[${records.join(",")}],"sealed_at":"${sealedAt}"}`;
  return {
    type: "event_batch",
    frameId: frameId("ev"),
    records: records.length,
    payload,
    sizeBytes: Buffer.byteLength(payload),
  };
}

/** A new frame id: the prefix and 12 hex digits. */
export function frameId(prefix: "ev" | "hb" | "st"): string {
  return `${prefix}_${randomBytes(6).toString("hex")}`;
}
