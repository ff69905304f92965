/**
 * Sliding windows per source: in memory, per process; no address is exempt. A source is an IPv4 address or the /64
 * of an IPv6 address, and the /48 has a wider window. A refused request is recorded in neither.
 */
import type { Clock } from "../../clock.ts";
import type { BucketRule } from "../access/route-rules.ts";
import { networksOf } from "../connections/addresses.ts";
import { createWindow, type SlidingWindow } from "./sliding-window.ts";

/** Keys that each window remembers. */
const maxKeys = 10_000;
/** A /48 contains 65,536 /64s, so all of them together get this many times the limit of one. */
const siteFactor = 10;

export function createBuckets(
  clock: Pick<Clock, "monotonicMs">,
  rules: Readonly<Record<string, Pick<BucketRule, "cap" | "windowMs">>>,
) {
  const windows = new Map<string, { blocks: SlidingWindow; sites: SlidingWindow }>();
  for (const [name, { cap, windowMs }] of Object.entries(rules)) {
    windows.set(name, {
      blocks: createWindow({ cap, windowMs, maxKeys }),
      sites: createWindow({ cap: cap * siteFactor, windowMs, maxKeys }),
    });
  }
  return {
    /**
     * Counts one request of `key` (an address, or the id of a user).
     * @returns null when it is allowed, else the whole seconds until it would be, 1 to the window.
     */
    take(name: string, key: string): number | null {
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

export type Buckets = ReturnType<typeof createBuckets>;
