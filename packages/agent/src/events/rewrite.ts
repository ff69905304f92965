import { canonicalText, parseJson } from "@svc/protocol";
import type { BufferEntry, NewEntry } from "../buffer/entry.ts";
import { batchEntry } from "./frame-builder.ts";

/** Buffered text was written by this agent, so its shape is known. */
interface Batch {
  readonly events: readonly Record<string, unknown>[];
  readonly sealed_at: string;
}

/** Splits a batch into two with the same `sealed_at`. Undefined for a single event or another type of frame. */
export function splitBatch(entry: BufferEntry): NewEntry[] | undefined {
  if (entry.type !== "event_batch" || entry.records < 2) return undefined;
  const { events, sealed_at: sealedAt } = parseJson(entry.payload) as Batch;
  const middle = Math.ceil(events.length / 2);
  return [events.slice(0, middle), events.slice(middle)].map((half) => batchEntry(half.map(canonicalText), sealedAt));
}

/**
 * Removes schedule events without a stream position from a batch.
 *
 * @returns undefined when there are none, otherwise the rest (possibly empty) and the number of removed events.
 */
export function withoutUnsequencedSchedules(entry: BufferEntry): { rest: NewEntry[]; removed: number } | undefined {
  // Most batches have no schedule events. Searching the text avoids parsing them.
  if (entry.type !== "event_batch" || !entry.payload.includes('"kind":"schedule.')) return undefined;
  const { events, sealed_at: sealedAt } = parseJson(entry.payload) as Batch;
  const kept = events.filter((event) => !isUnsequencedSchedule(event));
  if (kept.length === events.length) return undefined;
  return {
    rest: kept.length === 0 ? [] : [batchEntry(kept.map(canonicalText), sealedAt)],
    removed: events.length - kept.length,
  };
}

function isUnsequencedSchedule({ kind, data }: Record<string, unknown>): boolean {
  if (typeof kind !== "string" || !kind.startsWith("schedule.")) return false;
  const stream = (data as { stream?: { epoch?: unknown; sequence?: unknown } } | undefined)?.stream;
  return !Number.isSafeInteger(stream?.epoch) || !Number.isSafeInteger(stream?.sequence);
}
