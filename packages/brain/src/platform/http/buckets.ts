/**
 * Sliding windows per source address (spec part 2, Limits): in memory, per process, never a trusted address.
 * A refused request is not recorded, so a caller who keeps knocking gets in as soon as the window has room.
 */
import type { Clock } from "../clock.ts";

const minuteMs = 60_000;

/** Cap and window of every bucket; `mfa` takes its cap from SVC_MFA_VERIFICATION_RATE_PER_MIN. */
export const bucketRules = {
  login: { cap: 20, windowMs: minuteMs },
  "password-reset": { cap: 10, windowMs: minuteMs },
  invitations: { cap: 30, windowMs: minuteMs },
  bulk: { cap: 10, windowMs: minuteMs },
  "channel-tests": { cap: 20, windowMs: minuteMs },
  "channel-imports": { cap: 30, windowMs: minuteMs },
  "agent-connect": { cap: 600, windowMs: minuteMs },
  openapi: { cap: 10, windowMs: minuteMs },
  mfa: { cap: 10, windowMs: minuteMs },
  setup: { cap: 5, windowMs: 15 * minuteMs },
  /** Counted per user instead of per address, so only after authentication. */
  activity: { cap: 60, windowMs: minuteMs },
} as const satisfies Record<string, { cap: number; windowMs: number }>;

export type BucketName = keyof typeof bucketRules;

export interface Buckets {
  /**
   * Counts one request of `key` (an address; a user id for `activity`).
   * @returns null when it is let in, else the whole seconds until there is room, 1 to the window.
   */
  take(name: BucketName, key: string): number | null;
}

/** Keys each bucket remembers; when all of them are active a new one is refused, uncounted. */
const maxKeys = 10_000;
/** Quiet keys that one request clears away: more than it can add. */
const maxDropped = 2;

export function createBuckets(
  clock: Pick<Clock, "monotonicMs">,
  caps: Partial<Record<BucketName, number>> = {},
): Buckets {
  const windows = new Map<BucketName, SlidingWindow>();
  for (const name of Object.keys(bucketRules) as BucketName[]) {
    const rule = bucketRules[name];
    windows.set(name, createWindow(caps[name] ?? rule.cap, rule.windowMs));
  }
  return { take: (name, key) => windows.get(name)!.take(key, clock.monotonicMs()) };
}

interface SlidingWindow {
  take(key: string, nowMs: number): number | null;
}

/** The instants of one key: a ring of at most `cap` entries, oldest at `start`. */
interface Hits {
  times: number[];
  start: number;
}

function createWindow(cap: number, windowMs: number): SlidingWindow {
  // In order of each key's last admitted request: the first key is the one that has been quiet for longest.
  const keys = new Map<string, Hits>();
  const newest = (hits: Hits) => hits.times[(hits.start + hits.times.length - 1) % hits.times.length]!;
  const waitSeconds = (sinceMs: number, nowMs: number) =>
    Math.min(Math.ceil(windowMs / 1000), Math.max(1, Math.ceil((sinceMs + windowMs - nowMs) / 1000)));

  /** Drops a few keys that have been quiet for a whole window, so that memory follows use; says which key blocks a new one. */
  function forgetQuiet(nowMs: number): Hits | null {
    let dropped = 0;
    for (const [key, hits] of keys) {
      if (dropped === maxDropped || newest(hits) + windowMs > nowMs) return keys.size < maxKeys ? null : hits;
      keys.delete(key);
      dropped += 1;
    }
    return null;
  }

  return {
    take(key, nowMs) {
      const blocking = forgetQuiet(nowMs);
      let hits = keys.get(key);
      if (hits === undefined) {
        if (blocking !== null) return waitSeconds(newest(blocking), nowMs);
        hits = { times: [], start: 0 };
      }
      if (hits.times.length === cap) {
        const oldest = hits.times[hits.start]!;
        if (oldest + windowMs > nowMs) return waitSeconds(oldest, nowMs);
        hits.times[hits.start] = nowMs;
        hits.start = (hits.start + 1) % cap;
      } else {
        hits.times.push(nowMs);
      }
      keys.delete(key);
      keys.set(key, hits);
      return null;
    },
  };
}
