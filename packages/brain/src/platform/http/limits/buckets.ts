/**
 * Sliding windows per source (spec part 2, Limits): in memory, per process; no address is exempt. A source is an IPv4 address or the /64
 * of an IPv6 address, and the /48 has a wider window. A refused request is recorded in neither.
 */
import type { Clock } from "../../clock.ts";
import { minutes } from "../../durations.ts";
import { networksOf } from "../connections/addresses.ts";
import { createWindow, type SlidingWindow } from "./sliding-window.ts";

/** Cap and window of every bucket; `mfa` takes its cap from SVC_MFA_VERIFICATION_RATE_PER_MIN. */
export const bucketRules = {
  login: { cap: 20, windowMs: minutes(1) },
  "password-reset": { cap: 10, windowMs: minutes(1) },
  invitations: { cap: 30, windowMs: minutes(1) },
  bulk: { cap: 10, windowMs: minutes(1) },
  "channel-tests": { cap: 20, windowMs: minutes(1) },
  "channel-imports": { cap: 30, windowMs: minutes(1) },
  "agent-connect": { cap: 600, windowMs: minutes(1) },
  openapi: { cap: 10, windowMs: minutes(1) },
  mfa: { cap: 10, windowMs: minutes(1) },
  setup: { cap: 5, windowMs: minutes(15) },
  /** Counted per user instead of per address, so only after authentication. */
  activity: { cap: 60, windowMs: minutes(1) },
} as const satisfies Record<string, { cap: number; windowMs: number }>;

export type BucketName = keyof typeof bucketRules;

export interface Buckets {
  /**
   * Counts one request of `key` (an address; a user id for `activity`).
   * @returns null when it is let in, else the whole seconds until there is room, 1 to the window.
   */
  take(name: BucketName, key: string): number | null;
}

/** Keys that each window remembers. */
const maxKeys = 10_000;
/** A /48 has as many /64s as it likes, so all of them together get this many times the limit of one. */
const siteFactor = 10;

export function createBuckets(
  clock: Pick<Clock, "monotonicMs">,
  caps: Partial<Record<BucketName, number>> = {},
): Buckets {
  const windows = new Map<BucketName, { blocks: SlidingWindow; sites: SlidingWindow }>();
  for (const name of Object.keys(bucketRules) as BucketName[]) {
    const { cap: usualCap, windowMs } = bucketRules[name];
    const cap = caps[name] ?? usualCap;
    windows.set(name, {
      blocks: createWindow({ cap, windowMs, maxKeys }),
      sites: createWindow({ cap: cap * siteFactor, windowMs, maxKeys }),
    });
  }
  return {
    take(name, key) {
      const { blocks, sites } = windows.get(name)!;
      const nowMs = clock.monotonicMs();
      const networks = networksOf(key);
      const blockWait = blocks.wait(networks.block, nowMs);
      const siteWait = networks.isIpv6 ? sites.wait(networks.site, nowMs) : null;
      if (blockWait !== null || siteWait !== null) return Math.max(blockWait ?? 0, siteWait ?? 0);
      blocks.admit(networks.block, networks, nowMs);
      if (networks.isIpv6) sites.admit(networks.site, networks, nowMs);
      return null;
    },
  };
}
