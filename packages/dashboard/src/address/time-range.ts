import { useLocation, useRouter } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { useIsPaused } from "../live/live.ts";
import { useGo } from "../ui/buttons/AppLink.tsx";
import { createStore } from "../ui/store.ts";
import { minuteText, useZone } from "../ui/time/instants.ts";
import { useNowEvery } from "../ui/time/ticker.ts";
import {
  type Bounds,
  boundsOf,
  keepRange,
  type RangeFallback,
  rangeLabel,
  refusedBounds,
  stepMsOf,
} from "./range-bounds.ts";
import { type AddressRange, readRange } from "./range-text.ts";
import { parseSearch, stringifySearch } from "./search-text.ts";

/** The bounds are in milliseconds since 1970, and stay the same until the range has moved by about a hundredth of its length. */
export interface TimeRange extends Bounds {
  /** As the address has them, or the page's own; null for a range without a beginning. */
  since: string | null;
  until?: string;
  /** `last 24 h`: for titles of panels. */
  label: string;
}

/**
 * The project's time range, from the address. The page that calls it shows the control in the top bar, and says by
 * `fallback` what holds while no range is chosen. It does not move while everything is paused. `rangeParams` makes the
 * parameters of an API call of it.
 */
export function useTimeRange(fallback: RangeFallback = "-24h"): TimeRange {
  const address = useAddressRange();
  const { zone } = useZone();
  const isPaused = useIsPaused();
  const ticking = useNowEvery(stepMsOf(address, fallback));
  const [held, setHeld] = useState({ now: ticking, address });
  // Another range is read anew even while paused, and then as of the present.
  if (held.address !== address || (!isPaused && held.now !== ticking)) setHeld({ now: ticking, address });
  const { now } = held;
  useRangeControl(fallback);

  const { sinceMs, untilMs, isOpen } = boundsOf(address, fallback, now);
  return useMemo(
    () => ({
      since: address.since ?? (fallback === "all" || address.until !== undefined ? null : fallback),
      ...(address.until === undefined ? {} : { until: address.until }),
      label: rangeLabel(address, fallback, (at) => minuteText(at, zone)),
      sinceMs,
      untilMs,
      isOpen,
    }),
    [address, fallback, zone, sinceMs, untilMs, isOpen],
  );
}

/** Puts a range into the address of the present page; `{}` is what the page shows by itself. Back undoes it. */
export function useSetTimeRange(): (range: AddressRange) => void {
  const router = useRouter();
  const go = useGo();
  return ({ since, until }) => {
    const { pathname, search } = router.state.location;
    go(pathname + stringifySearch({ ...search, since, until }));
  };
}

/** What the present address says, without any fallback. */
export function useAddressRange(): AddressRange {
  const search = useLocation({ select: (location) => location.search as Record<string, unknown> });
  const { since, until } = readRange(search);
  return useMemo(
    () => ({ ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) }),
    [since, until],
  );
}

export interface RefusedRange {
  bounds: readonly ("since" | "until")[];
  /** What is shown instead. */
  label: string;
}

/** What of the address is left out of the range of the page on screen; null when all is in use. */
export function useRefusedRange(): RefusedRange | null {
  const search = useLocation({ select: ({ searchStr }) => searchStr });
  const range = useAddressRange();
  const fallback = useShownFallback();
  const { zone } = useZone();
  const bounds = refusedBounds(parseSearch(search));
  if (fallback === null || bounds.length === 0) return null;
  return { bounds, label: rangeLabel(range, fallback, (at) => minuteText(at, zone)) };
}

/** What `HrefContext` adds to links and moves inside a project: the present range. */
export function useKeepRange(): (href: string) => string {
  const pathname = useLocation({ select: (location) => location.pathname });
  const range = useAddressRange();
  return useCallback((href) => keepRange(href, { pathname, range }), [pathname, range]);
}

// Which ranges the page on screen asks for. Two parts of one page may both use the range; a list's wish for "all" wins.
const wishes: RangeFallback[] = [];
const shown = createStore<RangeFallback | null>(null);
const tellShown = () => shown.set(wishes.includes("all") ? "all" : (wishes[0] ?? null));

function useRangeControl(fallback: RangeFallback): void {
  useEffect(() => {
    wishes.push(fallback);
    tellShown();
    return () => {
      wishes.splice(wishes.indexOf(fallback), 1);
      tellShown();
    };
  }, [fallback]);
}

/** What the page on screen shows while no range is chosen; null when it has no use for a range. */
export function useShownFallback(): RangeFallback | null {
  return useSyncExternalStore(shown.subscribe, shown.get);
}
