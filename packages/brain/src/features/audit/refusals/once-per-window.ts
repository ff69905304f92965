import type { Clock } from "../../../platform/clock.ts";
import { minutes } from "../../../platform/durations.ts";
import { type AddressNetworks, networksOf } from "../../../platform/http/connections/addresses.ts";
import { createCrowds } from "../../../platform/http/limits/crowds.ts";
import { createRecency } from "../../../platform/http/limits/recency.ts";

/** A refusal is recorded once per key in this time (spec part 3, section 1.12 rule 8). */
const windowMs = minutes(10);
/** Keys remembered at most. */
const maxKeys = 10_000;
/**
 * Keys per window that may take the place of another: with `maxKeys` the bound of the rows that refusals from many addresses can cause.
 * Networks that fill the table one after the other reach it when they are eleven.
 */
const maxReplaced = 20_000;
/** Rows per window from one /48 of IPv6, whatever the number of its /64 blocks: ten times that of one block. */
const maxPerSite = 10;

/**
 * What becomes of a refusal: `first` of its key in the window gets a row of its own, `repeated` is covered by that row, and `excess` has no
 * row yet and gets none, so that it must be counted.
 */
export type Occurrence = "first" | "repeated" | "excess";

/** What makes two refusals the same: what was refused and, where the refusal is about an address, the block it lies in. */
export interface RefusalKey {
  readonly scope: string;
  readonly address?: string | null | undefined;
  /** Where there is no address: whose keys are counted together, as those of a network are. Each key by itself when absent. */
  readonly source?: string | undefined;
}

interface Entry {
  readonly key: string;
  readonly atMs: number;
  /** What the limit per /48 counts; null for what is not IPv6. */
  readonly site: string | null;
  readonly networks: AddressNetworks;
}

export function createOncePerWindow(clock: Pick<Clock, "monotonicMs">) {
  // Never touched again, so the oldest is the first that was admitted.
  const admitted = createRecency<Entry>();
  const crowds = createCrowds<Entry>();
  const perSite = new Map<string, number>();
  /** When the last keys took the place of others, as a ring: the oldest of these instants is at `nextReplaced`. */
  const replacedMs = new Float64Array(maxReplaced).fill(Number.NEGATIVE_INFINITY);
  let nextReplaced = 0;

  function forget(entry: Entry): void {
    admitted.delete(entry.key);
    crowds.remove(entry);
    if (entry.site === null) return;
    const left = (perSite.get(entry.site) ?? 0) - 1;
    if (left > 0) perSite.set(entry.site, left);
    else perSite.delete(entry.site);
  }

  function forgetOld(nowMs: number): void {
    for (let oldest = admitted.oldest(); oldest !== undefined; oldest = admitted.oldest()) {
      if (nowMs - oldest.atMs < windowMs) return;
      forget(oldest);
    }
  }

  /**
   * Drops one key of the largest network for one of a network that is smaller even then. One at a time, so that the largest cannot fill
   * the places again, and two networks cannot take turns with the same place.
   */
  function evictFor(networks: AddressNetworks, nowMs: number): boolean {
    if (nowMs - replacedMs[nextReplaced]! < windowMs || crowds.sizeOf(networks) + 1 >= crowds.largest()) return false;
    const dropped = crowds.oldestOfLargest();
    if (dropped === undefined) return false;
    replacedMs[nextReplaced] = nowMs;
    nextReplaced = (nextReplaced + 1) % maxReplaced;
    forget(dropped);
    return true;
  }

  return {
    /** Judges one refusal; the first of a key counts as recorded from now on. */
    judge({ scope, address = null, source = scope }: RefusalKey): Occurrence {
      const nowMs = clock.monotonicMs();
      forgetOld(nowMs);
      const networks = networksOf(address ?? source);
      const key = address === null ? scope : `${scope} ${networks.block}`;
      if (admitted.get(key) !== undefined) return "repeated";
      const site = address !== null && networks.isIpv6 ? `${scope} ${networks.site}` : null;
      const ofSite = site === null ? 0 : (perSite.get(site) ?? 0);
      if (ofSite >= maxPerSite) return "excess";
      if (admitted.size() >= maxKeys && !evictFor(networks, nowMs)) return "excess";
      if (site !== null) perSite.set(site, ofSite + 1);
      const entry = { key, atMs: nowMs, site, networks };
      admitted.touch(key, entry);
      crowds.add(entry);
      return "first";
    },
  };
}

export type OncePerWindow = ReturnType<typeof createOncePerWindow>;
