import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/api.ts";
import { patchOwnRow, patchRows } from "../../live/row-patches.ts";

/** The first 500 workers, for name lists and for the workers of one queue. */
export const workersQuery = (slug: string) =>
  queryOptions({
    queryKey: ["workers", slug],
    queryFn: ({ signal }) => api.listWorkers(slug, { limit: 500 }, { signal }),
    meta: { live: { project: slug, on: { "worker.changed": { patch: patchRows } } } },
  });

export const workerPages = (slug: string) => ({
  project: slug,
  topic: "worker.changed" as const,
  queryKey: ["workers", slug, "pages"],
  read: (cursor: string | undefined, signal: AbortSignal) =>
    api.listWorkers(slug, { limit: 500, ...(cursor && { cursor }) }, { signal }),
});

export const workerQuery = (slug: string, workerId: string) =>
  queryOptions({
    queryKey: ["worker", slug, workerId],
    queryFn: ({ signal }) => api.getWorker(slug, workerId, { signal }),
    meta: { live: { project: slug, on: { "worker.changed": { patch: patchOwnRow } } } },
  });
