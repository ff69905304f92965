import type { QueueActivities } from "@svc/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "../../api/api.ts";
import { patchOwnRow, patchRows } from "../../live/row-patches.ts";
import { lacksFigures } from "./trouble.ts";

/** The first 500 queues, for name lists. */
export const queuesQuery = (slug: string) =>
  queryOptions({
    queryKey: ["queues", slug],
    queryFn: ({ signal }) => api.listQueues(slug, { limit: 500 }, { signal }),
    meta: { live: { project: slug, on: { "queue.changed": { patch: patchRows } } } },
  });

export const queuePages = (slug: string) => ({
  project: slug,
  topic: "queue.changed" as const,
  queryKey: ["queues", slug, "pages"],
  read: (cursor: string | undefined, signal: AbortSignal) =>
    api.listQueues(slug, { limit: 500, ...(cursor && { cursor }) }, { signal }),
});

export const queueQuery = (slug: string, engine: string, name: string) =>
  queryOptions({
    queryKey: ["queue", slug, engine, name],
    queryFn: ({ signal }) => api.getQueue(slug, engine, name, { signal }),
    meta: { live: { project: slug, on: { "queue.changed": { patch: patchOwnRow } } } },
  });

/** The time span of the rates and sparklines, in minutes. */
export const activityMinutes = 60;

export const queueActivityQuery = (slug: string, only: { engine?: string; name?: string } = {}) =>
  queryOptions({
    queryKey: ["queue-activity", slug, only],
    queryFn: ({ signal }) => api.getQueueActivity(slug, { minutes: activityMinutes, ...only }, { signal }),
    staleTime: 15_000,
    // Figures are not pushed; they are fetched again when a new queue appears.
    meta: {
      live: {
        project: slug,
        on: {
          "queue.changed": {
            isStale: ({ rows = [] }, read: QueueActivities | undefined) => lacksFigures(rows, read, only),
            delayMs: 1_000,
          },
        },
      },
    },
  });

/** Depths over a range; only the last day is retained. */
export const queueDepthsQuery = (
  slug: string,
  queue: { engine: string; name: string },
  within: { since?: string; until?: string },
) =>
  queryOptions({
    queryKey: ["queue-depths", slug, queue.engine, queue.name, within],
    queryFn: ({ signal }) => api.getQueueDepths(slug, queue.engine, queue.name, within, { signal }),
    staleTime: 15_000,
    placeholderData: keepPreviousData,
    meta: { live: { project: slug } },
  });

export const queueLatencyQuery = (slug: string, queue: string, within: { since?: string; until?: string }) =>
  queryOptions({
    queryKey: ["latency", slug, { queue, ...within }],
    queryFn: ({ signal }) => api.getLatency(slug, { queue, ...within }, { signal }),
    staleTime: 15_000,
    placeholderData: keepPreviousData,
  });
