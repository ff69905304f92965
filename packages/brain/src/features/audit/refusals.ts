import type { Clock } from "../../platform/clock.ts";
import { networksOf } from "../../platform/http/addresses.ts";

/** A refusal is recorded once per key in this time (spec part 3, section 1.12 rule 8). */
const windowMs = 10 * 60_000;
/** Keys remembered at most, which bounds the rows that refusals from many addresses can cause. */
const maxKeys = 10_000;
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
}

export interface OncePerWindow {
  /** Judges one refusal; the first of a key counts as recorded from now on. */
  judge(key: RefusalKey): Occurrence;
}

export function createOncePerWindow(clock: Pick<Clock, "monotonicMs">): OncePerWindow {
  // In order of admission, so the first key is always the oldest.
  const admitted = new Map<string, { readonly atMs: number; readonly site: string | null }>();
  const perSite = new Map<string, number>();

  function forget(key: string): void {
    const site = admitted.get(key)?.site ?? null;
    admitted.delete(key);
    if (site === null) return;
    const left = (perSite.get(site) ?? 0) - 1;
    if (left > 0) perSite.set(site, left);
    else perSite.delete(site);
  }

  function forgetOld(nowMs: number): void {
    for (const [key, { atMs }] of admitted) {
      if (nowMs - atMs < windowMs) return;
      forget(key);
    }
  }

  return {
    judge({ scope, address = null }) {
      const nowMs = clock.monotonicMs();
      forgetOld(nowMs);
      const networks = address === null ? null : networksOf(address);
      const key = networks === null ? scope : `${scope} ${networks.block}`;
      if (admitted.has(key)) return "repeated";
      const site = networks?.isIpv6 ? `${scope} ${networks.site}` : null;
      const ofSite = site === null ? 0 : (perSite.get(site) ?? 0);
      if (ofSite >= maxPerSite || admitted.size >= maxKeys) return "excess";
      if (site !== null) perSite.set(site, ofSite + 1);
      admitted.set(key, { atMs: nowMs, site });
      return "first";
    },
  };
}
