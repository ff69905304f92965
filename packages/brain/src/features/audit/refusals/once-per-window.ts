import type { Clock } from "../../../platform/clock.ts";
import { minutes } from "../../../platform/durations.ts";
import { type AddressNetworks, networksOf } from "../../../platform/http/connections/addresses.ts";
import { createCrowds } from "../../../platform/http/limits/crowds.ts";
import { createRecency } from "../../../platform/http/limits/recency.ts";

/** A refusal is recorded once per key in this time. */
const windowMs = minutes(10);
/** Maximum number of keys remembered. */
const maxKeys = 10_000;
/**
 * Maximum number of keys per window that may replace another: together with `maxKeys` the bound on the rows that refusals from many
 * addresses can cause. It is reached when eleven networks fill the table one after the other.
 */
const maxReplaced = 20_000;
/** Maximum rows per window from one IPv6 /48, however many /64 blocks it uses: ten times that of one block. */
const maxPerSite = 10;

/**
 * How a refusal is recorded: the `first` of its key in the window gets its own row, `repeated` is covered by that row, and `excess` gets no
 * row and must be counted.
 */
export type Occurrence = "first" | "repeated" | "excess";

/** Identifies equal refusals: what was refused and, where the refusal is about an address, its network block. */
export interface RefusalKey {
  readonly scope: string;
  readonly address?: string | null | undefined;
  /**
   * Without an address: keys with the same source are counted together, like those of a network. Each key is counted separately when
   * absent.
   */
  readonly source?: string | undefined;
}

interface Entry {
  readonly key: string;
  readonly atMs: number;
  /** The network that the limit per /48 counts; null for anything but IPv6. */
  readonly site: string | null;
  readonly networks: AddressNetworks;
}

export function createOncePerWindow(clock: Pick<Clock, "monotonicMs">) {
  // Entries are never moved, so the first one is the oldest.
  const admitted = createRecency<Entry>();
  const crowds = createCrowds<Entry>();
  const perSite = new Map<string, number>();
  /** Times of the latest replacements, as a ring: the oldest one is at `nextReplaced`. */
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
   * Drops one key of the largest network in favour of one from a network that is still smaller afterwards. One at a time, so that the
   * largest network cannot fill the table again, and two networks cannot keep displacing each other.
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
    /** Classifies one refusal; the first of a key counts as recorded from now on. */
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
