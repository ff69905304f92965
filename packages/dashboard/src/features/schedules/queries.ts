import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "../../api/api.ts";
import type { Live } from "../../live/declared.ts";
import { patchPages } from "../../live/row-pages.ts";
import { patchOwnRow } from "../../live/row-patches.ts";

/** As many as one request for fires accepts. */
const pageRows = 500;
const stripFires = 20;

/** Figures that a fire or a misfire changes are read again shortly after their schedule changed. */
const afterFires: NonNullable<Live["on"]> = {
  "schedule.changed": { isStale: () => true, delayMs: 2_000 },
};

export const schedulePages = (slug: string) =>
  infiniteQueryOptions({
    queryKey: ["schedules", slug, "list"],
    queryFn: ({ pageParam, signal }) =>
      api.listSchedules(slug, { limit: pageRows, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    staleTime: 5_000,
    meta: { live: { project: slug, on: { "schedule.changed": { patch: patchPages } } } },
  });

/** The first 500 schedules, for name lists. */
export const schedulesQuery = (slug: string) =>
  queryOptions({
    queryKey: ["schedules", slug, "first"],
    queryFn: ({ signal }) => api.listSchedules(slug, { limit: pageRows }, { signal }),
    staleTime: 30_000,
  });

/** The last fires of many schedules. */
export const runsQuery = (slug: string, ids: readonly string[]) =>
  queryOptions({
    queryKey: ["schedules", slug, "runs", ids],
    queryFn: ({ signal }) => api.listScheduleRuns(slug, { id: [...ids], limit: stripFires }, { signal }),
    enabled: ids.length > 0,
    staleTime: 5_000,
    placeholderData: keepPreviousData,
    meta: { live: { project: slug, on: afterFires, onResume: "read-if-stale" } },
  });

export const misfireRows = 1_000;

export const misfiresQuery = (slug: string) =>
  queryOptions({
    queryKey: ["schedules", slug, "misfires"],
    queryFn: ({ signal }) => api.listMisfires(slug, { limit: misfireRows }, { signal }),
    staleTime: 15_000,
    meta: { live: { project: slug, on: afterFires, onResume: "read-if-stale" } },
  });

export const previewRuns = 50;

export const scheduleQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: ["schedule", slug, id],
    queryFn: ({ signal }) => api.getSchedule(slug, id, { preview: previewRuns }, { signal }),
    meta: {
      live: {
        project: slug,
        on: {
          "schedule.changed": {
            patch: patchOwnRow,
            // The next runs are not pushed.
            isStale: ({ rows = [], refetch }) => refetch === true || rows.some((row) => row.id === id),
            delayMs: 500,
          },
        },
      },
    },
  });

export const fireRows = 100;

/** The newest fires of a schedule. */
export const firesQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: ["schedule", slug, id, "fires"],
    queryFn: ({ signal }) => api.listFires(slug, id, { limit: fireRows }, { signal }),
    staleTime: 5_000,
    meta: { live: { project: slug, on: afterFires, onResume: "read-if-stale" } },
  });

export const calendarFires = 1_000;

/** As many fires as one request returns, for the calendar. Not read again with each fire: it is a large response. */
export const calendarQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: ["schedule", slug, id, "calendar"],
    queryFn: ({ signal }) => api.listFires(slug, id, { limit: calendarFires }, { signal }),
    staleTime: 60_000,
    meta: { live: { project: slug, onResume: "read-if-stale" } },
  });

export const ownMisfiresQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: ["schedule", slug, id, "misfires"],
    queryFn: ({ signal }) => api.listScheduleMisfires(slug, id, { limit: misfireRows }, { signal }),
    staleTime: 15_000,
    meta: { live: { project: slug, on: afterFires, onResume: "read-if-stale" } },
  });

/** The fires of the next seven days, without an edited schedule. */
export const forecastQuery = (slug: string, edited?: string) =>
  queryOptions({
    queryKey: ["schedules", slug, "forecast", edited],
    queryFn: ({ signal }) =>
      api.getScheduleForecast(slug, { days: 7, ...(edited && { schedule_id: edited }) }, { signal }),
    staleTime: 60_000,
    // Expensive for the service: not read again after each fire.
    meta: { live: { project: slug, onResume: "read-if-stale" } },
  });
