import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type Bounds, rangeParams } from "../../address/range-bounds.ts";
import { api } from "../../api/api.ts";
import { type BucketName, bucketNames, bucketWidthMs } from "../../ui/charts/parts/percentiles.ts";
import { endsOfStats } from "./panels/facts.ts";
import { windowBefore } from "./panels/window-before.ts";

/** A range with a start: every panel of the overview has one. */
export interface Window extends Bounds {
  sinceMs: number;
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

/** What finished in the window before this one, which is as long as this one has lasted so far. */
export const endsBeforeQuery = (slug: string, window: Window) =>
  queryOptions({
    queryKey: ["ends", slug, rangeParams(window)],
    queryFn: async ({ signal }) => {
      return endsOfStats(await api.getStats(slug, rangeParams(windowBefore(window, Date.now())), { signal }));
    },
    staleTime: 30_000,
    placeholderData,
  });

export const latencyQuery = (slug: string, window: Window) =>
  queryOptions({
    queryKey: ["latency", slug, rangeParams(window)],
    queryFn: ({ signal }) => api.getLatency(slug, { ...rangeParams(window), bucket: bucketFor(window) }, { signal }),
    staleTime,
    placeholderData,
  });

export const latencyBeforeQuery = (slug: string, window: Window) =>
  queryOptions({
    queryKey: ["latency", slug, "before", rangeParams(window)],
    queryFn: async ({ signal }) => {
      const before = windowBefore(window, Date.now());
      const { total } = await api.getLatency(slug, { ...rangeParams(before), bucket: bucketFor(before) }, { signal });
      return total;
    },
    staleTime: 30_000,
    placeholderData,
  });

export const slowestQuery = (slug: string, window: Window) =>
  queryOptions({
    queryKey: ["slowest", slug, rangeParams(window)],
    queryFn: ({ signal }) => api.listSlowestNames(slug, { ...rangeParams(window), limit: 8 }, { signal }),
    staleTime,
    placeholderData,
  });

export const topIssues = 6;

export const issuesQuery = (slug: string, window: Window) =>
  queryOptions({
    queryKey: ["issues", slug, rangeParams(window)],
    queryFn: ({ signal }) =>
      api.listIssues(slug, { ...rangeParams(window), sort: "occurrences", trend: true, limit: topIssues }, { signal }),
    staleTime,
    placeholderData,
  });

export const newestFailures = 6;

export const failuresQuery = (slug: string, window: Window) =>
  queryOptions({
    queryKey: ["failures", slug, rangeParams(window)],
    queryFn: ({ signal }) =>
      api.listRecentFailures({ project: slug, ...rangeParams(window), limit: newestFailures }, { signal }),
    staleTime,
    placeholderData,
  });

/** The number of bars that fit legibly in two thirds of a page. */
const mostBars = 170;

/** The narrowest buckets in which a window can be drawn. The server widens them where it keeps hourly counts only. */
export function bucketFor({ sinceMs, untilMs }: Window): BucketName {
  return bucketNames.find((name) => (untilMs - sinceMs) / bucketWidthMs[name] <= mostBars) ?? "1d";
}
