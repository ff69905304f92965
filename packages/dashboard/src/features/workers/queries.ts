import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api.ts";

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

const tasksShown = 20;

/** What the worker has in hand: tasks that were started by it and have not ended. */
export const workerTasksQuery = (slug: string, worker: string) =>
  queryOptions({
    queryKey: ["worker-tasks", slug, worker],
    queryFn: ({ signal }) => api.listTasks(slug, { worker, state: "started", limit: tasksShown }, { signal }),
  });

export const workerFailuresQuery = (slug: string, worker: string, within: { since?: string; until?: string }) =>
  queryOptions({
    queryKey: ["worker-failures", slug, worker, within],
    queryFn: ({ signal }) => api.listTasks(slug, { worker, state: "failure", limit: 8, ...within }, { signal }),
    placeholderData: (old) => old,
  });
