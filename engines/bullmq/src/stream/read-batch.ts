import type { Redis } from "ioredis";
import type { RawEntry } from "./stream-entry.ts";
import type { QueueWatch } from "./stream-position.ts";

export interface StreamBatch {
  readonly watch: QueueWatch;
  readonly entries: readonly RawEntry[];
}

const mostEntriesPerStream = 1000;
const readBudgetChars = 16 * 1024 * 1024;
const blockMs = 500;

/** Above this rate, a pause between reads lets entries accumulate, so that they share the cost of a read. */
const busyEntriesPerSecond = 1000;
const gatherMs = 10;
const rateWindowMs = 500;

/**
 * Reads the streams of all queues in one XREAD. The size of a read adapts to the number of streams (at least ten entries of each) and the
 * size of the entries so far, so that large results do not fill the memory. `pauseMs` is how long the caller should let entries
 * accumulate before the next read: 0 while traffic is low, because a job that is removed when it ends must be read immediately, and 0
 * while there is a backlog.
 */
export function createBatchReader(redis: Redis, mostEntriesPerRead: number) {
  let averageChars = 100;
  let windowBegan = performance.now();
  let entriesInWindow = 0;
  let isBusy = false;
  let isBehind = false;

  async function read(watches: readonly QueueWatch[]): Promise<readonly StreamBatch[]> {
    const perStream = Math.floor(Math.min(mostEntriesPerRead, readBudgetChars / averageChars) / watches.length);
    const count = Math.min(Math.max(perStream, 10), mostEntriesPerStream);
    const keys = watches.map((watch) => watch.names.eventsKey);
    const ids = watches.map((watch) => watch.position.lastId);
    const reply = await redis.xread("COUNT", count, "BLOCK", blockMs, "STREAMS", ...keys, ...ids);
    const batches = matchStreams(watches, reply as readonly (readonly [string, readonly RawEntry[]])[] | null);
    isBehind = batches.some((batch) => batch.entries.length >= count);
    measure(batches);
    return batches;
  }

  function measure(batches: readonly StreamBatch[]): void {
    let entries = 0;
    let chars = 0;
    for (const batch of batches) {
      entries += batch.entries.length;
      for (const [, fields] of batch.entries) for (const field of fields) chars += field.length;
    }
    if (entries > 0) averageChars = Math.max(averageChars * 0.8 + (chars / entries) * 0.2, 40);
    entriesInWindow += entries;
    const elapsed = performance.now() - windowBegan;
    if (elapsed < rateWindowMs) return;
    isBusy = (entriesInWindow * 1000) / elapsed > busyEntriesPerSecond;
    entriesInWindow = 0;
    windowBegan = performance.now();
  }

  return {
    read,
    get pauseMs() {
      return isBusy && !isBehind ? gatherMs : 0;
    },
    get averageChars() {
      return averageChars;
    },
  };
}

/** Groups batches, each group with at most `mostEntries` entries or a single batch. */
export function groupsOf(batches: readonly StreamBatch[], mostEntries: number): readonly (readonly StreamBatch[])[] {
  const groups: StreamBatch[][] = [];
  let entries = Number.POSITIVE_INFINITY;
  for (const batch of batches) {
    entries += batch.entries.length;
    if (entries > mostEntries) {
      groups.push([]);
      entries = batch.entries.length;
    }
    groups.at(-1)?.push(batch);
  }
  return groups;
}

/** Redis replies in the order of the request and omits streams without new entries. */
function matchStreams(
  watches: readonly QueueWatch[],
  reply: readonly (readonly [string, readonly RawEntry[]])[] | null,
): readonly StreamBatch[] {
  const batches: StreamBatch[] = [];
  let at = 0;
  for (const [key, entries] of reply ?? []) {
    while (at < watches.length && watches[at]?.names.eventsKey !== key) at += 1;
    const watch = watches[at];
    if (watch) batches.push({ watch, entries });
  }
  return batches;
}
