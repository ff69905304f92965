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

/** Read as they were last seen, and shown by how often they occurred: of a project with more issues the newest. */
const issuesRead = 50;

export const issuesQuery = (slug: string, window: Window) =>
  queryOptions({
    queryKey: ["issues", slug, rangeParams(window)],
    queryFn: ({ signal }) =>
      api.listIssues(slug, { ...rangeParams(window), trend: true, limit: issuesRead }, { signal }),
    staleTime,
    placeholderData,
  });

export const newestFailures = 6;

export interface Failures {
  items: TaskRow[];
}

export const failuresQuery = (slug: string, window: Window) =>
  queryOptions({
    queryKey: ["failures", slug, rangeParams(window)],
    queryFn: ({ signal }): Promise<Failures> =>
      api.listTasks(slug, { ...rangeParams(window), state: "failure", limit: newestFailures }, { signal }),
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
