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

/** The bounds are in milliseconds since 1970 and move in steps of about 1 % of the range. */
export interface TimeRange extends Bounds {
  /** From the URL, or the page's default; null for a range without a start. */
  since: string | null;
  until?: string;
  /** `last 24 h`, for panel titles. */
  label: string;
}

/**
 * The project's time range from the URL, or `fallback`. Calling it shows the range control in the top bar. The range does not move while
 * updates are paused. `rangeParams` converts it to parameters of an API call.
 */
export function useTimeRange(fallback: RangeFallback = "-24h"): TimeRange {
  const address = useAddressRange();
  const { zone } = useZone();
  const isPaused = useIsPaused();
  const ticking = useNowEvery(stepMsOf(address, fallback));
  const [held, setHeld] = useState({ now: ticking, address });
  // A newly chosen range is applied even while paused, relative to the current time.
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

/** Sets the range in the URL; `{}` resets it to the page's default. Back undoes it. */
export function useSetTimeRange(): (range: AddressRange) => void {
  const router = useRouter();
  const go = useGo();
  return ({ since, until }) => {
    const { pathname, search } = router.state.location;
    go(pathname + stringifySearch({ ...search, since, until }));
  };
}

/** The range in the current URL, without a fallback. */
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
  /** The range that is shown instead. */
  label: string;
}

/** The bounds in the URL that the current page ignores; null when all are valid. */
export function useRefusedRange(): RefusedRange | null {
  const search = useLocation({ select: ({ searchStr }) => searchStr });
  const range = useAddressRange();
  const fallback = useShownFallback();
  const { zone } = useZone();
  const bounds = refusedBounds(parseSearch(search));
  if (fallback === null || bounds.length === 0) return null;
  return { bounds, label: rangeLabel(range, fallback, (at) => minuteText(at, zone)) };
}

/** Adds the current range to links inside a project, for `HrefContext`. */
export function useKeepRange(): (href: string) => string {
  const pathname = useLocation({ select: (location) => location.pathname });
  const range = useAddressRange();
  return useCallback((href) => keepRange(href, { pathname, range }), [pathname, range]);
}

// The defaults requested by the parts of the current page. If they differ, a list's "all" wins.
const requested: RangeFallback[] = [];
const shown = createStore<RangeFallback | null>(null);
const updateShown = () => shown.set(requested.includes("all") ? "all" : (requested[0] ?? null));

function useRangeControl(fallback: RangeFallback): void {
  useEffect(() => {
    requested.push(fallback);
    updateShown();
    return () => {
      requested.splice(requested.indexOf(fallback), 1);
      updateShown();
    };
  }, [fallback]);
}

/** The current page's default range; null when it does not use a range. */
export function useShownFallback(): RangeFallback | null {
  return useSyncExternalStore(shown.subscribe, shown.get);
}
