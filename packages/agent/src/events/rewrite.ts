import { canonicalText, parseJson } from "@svc/protocol";
import type { BufferEntry, NewEntry } from "../buffer/entry.ts";
import { batchEntry } from "./frame-builder.ts";

/** Buffered text was made by this agent, so its shape is known. */
interface Batch {
  readonly events: readonly Record<string, unknown>[];
  readonly sealed_at: string;
}

/** Two batches with the halves of one, both with its `sealed_at`; undefined when it holds a single event or is no batch. */
export function splitBatch(entry: BufferEntry): NewEntry[] | undefined {
  if (entry.type !== "event_batch" || entry.records < 2) return undefined;
  const { events, sealed_at: sealedAt } = parseJson(entry.payload) as Batch;
  const middle = Math.ceil(events.length / 2);
  return [events.slice(0, middle), events.slice(middle)].map((half) => batchEntry(half.map(canonicalText), sealedAt));
}

/**
 * A batch without the schedule events that carry no stream position (spec part 3, section 1.11 rule 5).
 *
 * @returns undefined when there are none; else what is left (empty when nothing is) and how many went.
 */
export function withoutUnsequencedSchedules(entry: BufferEntry): { rest: NewEntry[]; removed: number } | undefined {
  // Most batches hold no schedule event at all; a look at the text spares their parsing.
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
