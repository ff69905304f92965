import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api.ts";

/** The first 500, for lists of names. */
export const queuesQuery = (slug: string) =>
  queryOptions({
    queryKey: ["queues", slug],
    queryFn: ({ signal }) => api.listQueues(slug, { limit: 500 }, { signal }),
  });

export const queuePages = (slug: string) => ({
  topic: "queue.changed" as const,
  queryKey: ["queues", slug, "pages"],
  read: (cursor: string | undefined, signal: AbortSignal) =>
    api.listQueues(slug, { limit: 500, ...(cursor && { cursor }) }, { signal }),
});

export const queueQuery = (slug: string, engine: string, name: string) =>
  queryOptions({
    queryKey: ["queue", slug, engine, name],
    queryFn: ({ signal }) => api.getQueue(slug, engine, name, { signal }),
  });

/** Minutes that the rates and small charts of the pages cover. */
export const activityMinutes = 60;

export const queueActivityQuery = (slug: string, only: { engine?: string; name?: string } = {}) =>
  queryOptions({
    queryKey: ["queue-activity", slug, only],
    queryFn: ({ signal }) => api.getQueueActivity(slug, { minutes: activityMinutes, ...only }, { signal }),
    staleTime: 15_000,
  });
