import type { AddressNetworks } from "../connections/addresses.ts";
import { createCrowds } from "./crowds.ts";
import { createRecency } from "./recency.ts";

/** What is remembered of one key: the instants of its requests, the oldest that counts at `start`. */
interface Entry {
  readonly key: string;
  readonly networks: AddressNetworks;
  times: number[];
  start: number;
}

/** Quiet keys that one request clears away: more than it can add. */
const maxCleared = 2;

/** One limit over a time that slides, for each of a bounded number of keys. */
export function createWindow(options: { cap: number; windowMs: number; maxKeys: number }) {
  const { cap, windowMs, maxKeys } = options;
  // Touched by every admitted request: the oldest entry is the one that has been quiet for longest.
  const entries = createRecency<Entry>();
  const crowds = createCrowds<Entry>();
  const newest = ({ times }: Entry) => times.at(-1)!;
  let stored = 0;
  const secondsAfter = (sinceMs: number, nowMs: number) =>
    Math.min(Math.ceil(windowMs / 1000), Math.max(1, Math.ceil((sinceMs + windowMs - nowMs) / 1000)));

  function forget(entry: Entry): void {
    entries.delete(entry.key);
    crowds.remove(entry);
    stored -= entry.times.length;
  }

  /** Adds an instant, and drops those that no longer count once they are half of what is stored. */
  function append(entry: Entry, nowMs: number): void {
    entry.times.push(nowMs);
    stored += 1;
    const { times } = entry;
    while (times.length - entry.start > cap || times[entry.start]! + windowMs <= nowMs) entry.start += 1;
    if (entry.start * 2 < times.length) return;
    // A copy, because an array keeps its room when elements are removed.
    entry.times = times.slice(entry.start);
    stored -= entry.start;
    entry.start = 0;
  }

  /** Drops a few keys that have been quiet for a whole window, so that memory follows use. */
  function forgetQuiet(nowMs: number): void {
    for (let cleared = 0; cleared < maxCleared; cleared += 1) {
      const quietest = entries.oldest();
      if (quietest === undefined || newest(quietest) + windowMs > nowMs) return;
      forget(quietest);
    }
  }

  return {
    /** Whole seconds until a request of `key` would be let in, 1 to the window; null when it is now. Counts nothing. */
    wait(key: string, nowMs: number): number | null {
      forgetQuiet(nowMs);
      const entry = entries.get(key);
      if (entry === undefined) {
        // Where no network has more than one key there is no crowd to drop from, and a new key waits for a quiet one.
        if (entries.size() < maxKeys || crowds.largest() > 1) return null;
        const quietest = entries.oldest();
        return quietest === undefined ? null : secondsAfter(newest(quietest), nowMs);
      }
      if (entry.times.length - entry.start < cap) return null;
      const oldest = entry.times[entry.start]!;
      return oldest + windowMs > nowMs ? secondsAfter(oldest, nowMs) : null;
    },
    /** Counts a request that does not have to wait. */
    admit(key: string, networks: AddressNetworks, nowMs: number) {
      let entry = entries.get(key);
      if (entry === undefined) {
        if (entries.size() >= maxKeys) for (const each of crowds.surplus()) forget(each);
        entry = { key, networks, times: [], start: 0 };
      }
      append(entry, nowMs);
      entries.touch(key, entry);
      crowds.add(entry);
    },
    /** Keys that are remembered. */
    size: entries.size,
    /** Instants of requests that are stored for all keys: at most twice those that count. */
    instants: () => stored,
  };
}

export type SlidingWindow = ReturnType<typeof createWindow>;
