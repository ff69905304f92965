import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/api.ts";

/** The first 500, for lists of names and for the workers of one queue. */
export const workersQuery = (slug: string) =>
  queryOptions({
    queryKey: ["workers", slug],
    queryFn: ({ signal }) => api.listWorkers(slug, { limit: 500 }, { signal }),
  });

export const workerPages = (slug: string) => ({
  topic: "worker.changed" as const,
  queryKey: ["workers", slug, "pages"],
  read: (cursor: string | undefined, signal: AbortSignal) =>
    api.listWorkers(slug, { limit: 500, ...(cursor && { cursor }) }, { signal }),
});

export const workerQuery = (slug: string, workerId: string) =>
  queryOptions({
    queryKey: ["worker", slug, workerId],
    queryFn: ({ signal }) => api.getWorker(slug, workerId, { signal }),
  });
