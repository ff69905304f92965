import { plural } from "@svc/client";
import { type AddressRange, ageMsOf, agePattern, readRange, timeOf } from "./range-text.ts";
import { parseSearch, stringifySearch } from "./search-text.ts";

/** The default range of a page: figures need one, lists do not. */
export type RangeFallback = "-24h" | "all";

export const presets = [
  { since: "-15m", label: "15 m", text: "last 15 min" },
  { since: "-1h", label: "1 h", text: "last hour" },
  { since: "-24h", label: "24 h", text: "last 24 h" },
  { since: "-7d", label: "7 d", text: "last 7 days" },
] as const;

const dayMs = 86_400_000;

/** The given bounds that `readRange` drops. */
export function refusedBounds(raw: Readonly<Record<string, unknown>>, now = Date.now()): ("since" | "until")[] {
  const range = readRange(raw, now);
  return (["since", "until"] as const).filter((key) => (raw[key] ?? "") !== "" && range[key] === undefined);
}

export interface Bounds {
  /** Null when the range has no start. */
  sinceMs: number | null;
  untilMs: number;
  /** Whether it ends at the current time, so that an API call needs no end. */
  isOpen: boolean;
}

/**
 * The range in milliseconds since 1970. Bounds relative to `now` move in steps and reach at most one step too far, so that they, and the
 * query keys made of them, are stable in between.
 */
export function boundsOf(range: AddressRange, fallback: RangeFallback, now: number): Bounds {
  const { since = range.until === undefined && fallback !== "all" ? fallback : undefined, until } = range;
  const stepMs = stepMsOf(range, fallback);
  const present = Math.floor(now / stepMs) * stepMs;
  const untilMs = until === undefined ? present + stepMs : timeOf(until, present);
  const isOpen = until === undefined;
  if (since !== undefined) {
    const sinceMs = timeOf(since, present);
    if (sinceMs < untilMs) return { sinceMs, untilMs, isOpen };
  }
  return { sinceMs: fallback === "all" ? null : untilMs - dayMs, untilMs, isOpen };
}

/** The initial range of a page from its search parameters. */
export function boundsNow(search: Readonly<Record<string, unknown>>, fallback: RangeFallback = "-24h"): Bounds {
  const now = Date.now();
  return boundsOf(readRange(search, now), fallback, now);
}

/** The range as parameters of an API call. An open range has no `until`. */
export function rangeParams({ sinceMs, untilMs, isOpen }: Bounds): AddressRange {
  return {
    ...(sinceMs === null ? {} : { since: new Date(sinceMs).toISOString() }),
    ...(isOpen ? {} : { until: new Date(untilMs).toISOString() }),
  };
}

/** The step by which the bounds of a range move: about 1 % of its length, 10 s to 15 min. */
export function stepMsOf({ since, until }: AddressRange, fallback: RangeFallback): number {
  const ageMs = ageMsOf(since ?? until ?? (fallback === "all" ? "-1h" : fallback)) ?? dayMs;
  const steps = [10_000, 30_000, 60_000, 300_000, 900_000];
  return steps.find((step) => step * 100 >= ageMs) ?? 900_000;
}

/** `last 24 h`, `since …`, `… to …`, `all time`; instants are formatted by `print`. */
export function rangeLabel(range: AddressRange, fallback: RangeFallback, print: (at: number) => string): string {
  const { since = range.until === undefined && fallback !== "all" ? fallback : undefined, until } = range;
  const boundText = (text: string) => {
    const found = agePattern.exec(text);
    if (!found) return print(timeOf(text, 0));
    const [, amount, unit] = found;
    return `${unit === "d" ? plural(Number(amount), "day") : `${amount} ${unit === "m" ? "min" : "h"}`} ago`;
  };
  if (since === undefined) return until === undefined ? "all time" : `until ${boundText(until)}`;
  if (until !== undefined) return `${boundText(since)} to ${boundText(until)}`;
  const preset = presets.find((one) => one.since === since);
  if (preset) return preset.text;
  return agePattern.test(since) ? `last ${boundText(since).replace(" ago", "")}` : `since ${boundText(since)}`;
}

/** Two instants as URL parameters, rounded outwards to whole seconds. */
export function instantRange(sinceMs: number, untilMs: number): AddressRange {
  const text = (ms: number) => new Date(ms).toISOString().replace(".000Z", "Z");
  return { since: text(Math.floor(sinceMs / 1000) * 1000), until: text(Math.ceil(untilMs / 1000) * 1000) };
}

const projectPage = /^\/p\/[^/]+/;

/**
 * Adds the current page's range to `href`: only between pages of projects, and not if `href` has its own range or leads to the same page.
 */
export function keepRange(href: string, here: { pathname: string; range: AddressRange }): string {
  const [path = "", query = ""] = href.split("?", 2);
  if (!projectPage.test(path) || !projectPage.test(here.pathname) || path === here.pathname) return href;
  const search = parseSearch(query);
  if ("since" in search || "until" in search) return href;
  return path + stringifySearch({ ...search, ...here.range });
}
