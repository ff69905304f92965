import type { TaskRow } from "@svc/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { type Bounds, rangeParams } from "../../range-text.ts";

/** A range with a beginning: every panel of the overview has one. */
export interface Window extends Bounds {
  sinceMs: number;
}

/** The window of the same length that ends where this one begins. */
export function windowBefore({ sinceMs, untilMs }: Window): Window {
  return { sinceMs: sinceMs - (untilMs - sinceMs), untilMs: sinceMs, isOpen: false };
}

const staleTime = 10_000;
const placeholderData = keepPreviousData;

/** What of the list of failed tasks the overview reads: enough for its groups, cheap enough for its timer. */
export const failuresRead = 200;

export const outcomesQuery = (slug: string, window: Window) =>
  queryOptions({
    queryKey: ["trends", slug, rangeParams(window)],
    queryFn: ({ signal }) => api.getTrends(slug, { ...rangeParams(window), bucket: bucketFor(window) }, { signal }),
    staleTime,
    placeholderData,
  });

/** Counts of a window that has ended: they do not change, but for what arrives late. */
export const endsQuery = (slug: string, window: Window) =>
  queryOptions({
    queryKey: ["ends", slug, rangeParams(window)],
    queryFn: async ({ signal }) => {
      const stats = await api.getStats(slug, rangeParams(window), { signal });
      return { succeeded: stats.tasks_succeeded_24h, failed: stats.tasks_failed_24h };
    },
    staleTime: 60_000,
    placeholderData,
  });

export const latencyQuery = (slug: string, window: Window) =>
  queryOptions({
    queryKey: ["latency", slug, rangeParams(window)],
    queryFn: ({ signal }) => api.getLatency(slug, { ...rangeParams(window), bucket: bucketFor(window) }, { signal }),
    staleTime,
    placeholderData,
  });

export const slowestQuery = (slug: string, window: Window) =>
  queryOptions({
    queryKey: ["slowest", slug, rangeParams(window)],
    queryFn: ({ signal }) => api.listSlowestNames(slug, { ...rangeParams(window), limit: 8 }, { signal }),
    staleTime,
    placeholderData,
  });

export const releasesQuery = (slug: string, window: Window) =>
  queryOptions({
    queryKey: ["releases", slug, rangeParams(window)],
    queryFn: ({ signal }) => api.listReleases(slug, rangeParams(window), { signal }),
    staleTime: 30_000,
    placeholderData,
  });

export interface Failures {
  items: TaskRow[];
  /** Whether the window holds older ones that were not read. */
  hasMore: boolean;
}

export const failuresQuery = (slug: string, window: Window) =>
  queryOptions({
    queryKey: ["failures", slug, rangeParams(window)],
    queryFn: async ({ signal }): Promise<Failures> => {
      const filters = { ...rangeParams(window), state: "failure", limit: failuresRead } as const;
      const page = await api.listTasks(slug, filters, { signal });
      return { items: page.items, hasMore: page.next_cursor !== null };
    },
    staleTime,
    placeholderData,
  });

const minuteMs = 60_000;
const widths = [
  ["1m", minuteMs],
  ["5m", 5 * minuteMs],
  ["15m", 15 * minuteMs],
  ["1h", 60 * minuteMs],
  ["1d", 24 * 60 * minuteMs],
] as const;
type BucketName = (typeof widths)[number][0];

export const bucketWidthMs: Readonly<Record<BucketName, number>> = Object.fromEntries(widths) as Record<
  BucketName,
  number
>;
/** As many bars as can be told apart in two thirds of a page. */
const mostBars = 170;

/** The narrowest buckets in which a window can still be drawn. The brain widens them where it counts by the hour only. */
export function bucketFor({ sinceMs, untilMs }: Window): BucketName {
  return widths.find(([, widthMs]) => (untilMs - sinceMs) / widthMs <= mostBars)?.[0] ?? "1d";
}
