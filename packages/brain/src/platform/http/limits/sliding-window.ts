import type { AddressNetworks } from "../connections/addresses.ts";
import { createCrowds } from "./crowds.ts";
import { createRecency } from "./recency.ts";

/** The instants of one key's requests; the oldest that still counts is at index `start`. */
interface Entry {
  readonly key: string;
  readonly networks: AddressNetworks;
  times: number[];
  start: number;
}

/** Maximum idle keys that one request removes: more than it can add. */
const maxCleared = 2;

/** A sliding-window limit for each of a bounded number of keys. */
export function createWindow(options: { cap: number; windowMs: number; maxKeys: number }) {
  const { cap, windowMs, maxKeys } = options;
  // Every admitted request touches its entry, so the oldest entry has been idle for longest.
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
    // A copy, because an array keeps its capacity when elements are removed.
    entry.times = times.slice(entry.start);
    stored -= entry.start;
    entry.start = 0;
  }

  /** Drops a few keys that have been idle for a whole window, so that memory follows use. */
  function forgetQuiet(nowMs: number): void {
    for (let cleared = 0; cleared < maxCleared; cleared += 1) {
      const quietest = entries.oldest();
      if (quietest === undefined || newest(quietest) + windowMs > nowMs) return;
      forget(quietest);
    }
  }

  return {
    /** Whole seconds until a request of `key` would be admitted, from 1 to the window; null when it is admitted now. Counts nothing. */
    wait(key: string, nowMs: number): number | null {
      forgetQuiet(nowMs);
      const entry = entries.get(key);
      if (entry === undefined) {
        // If no network has more than one key, there is no crowd to drop from, so a new key waits until another one is idle.
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
    /** Number of remembered keys. */
    size: entries.size,
    /** Instants of requests that are stored for all keys: at most twice those that count. */
    instants: () => stored,
  };
}

export type SlidingWindow = ReturnType<typeof createWindow>;
