import { randomBytes } from "node:crypto";
import { wireLimits } from "@svc/protocol";
import type { NewEntry } from "../buffer/entry.ts";

/**
 * Bytes of one payload. Entries are sealed before a connection announces its largest frame, so a quarter of the usual largest is
 * kept free for the envelope and for a brain with a slightly smaller limit.
 */
export const payloadLimitBytes = (wireLimits.frameBytes * 3) / 4;

/** Events of one frame at most. */
export const eventsPerFrame = 500;
/** Room for what stands around the events of a payload. */
const batchEnvelopeBytes = 64;

/** Bytes of one event at most: alone in a frame it still fits. */
export const eventLimitBytes = payloadLimitBytes - batchEnvelopeBytes;

/** Gathers canonical event texts into event_batch entries, in order, each within the limits of count and size. */
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

/** An event_batch of canonical event texts, under a fresh frame id; the members stand in the order of their names. */
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

/** A fresh frame id: the prefix and 12 hex digits. */
export function frameId(prefix: "ev" | "hb" | "st"): string {
  return `${prefix}_${randomBytes(6).toString("hex")}`;
}
