import { type CallOptions, pathOf, type Send } from "../request.ts";
import type { Worker, WorkerDetail } from "../types/workers.ts";

export function workerRoutes(send: Send) {
  return {
    listWorkers: (slug: string, query: { cursor?: string; limit?: number } = {}, call?: CallOptions) =>
      send<{ items: Worker[]; next_cursor: string | null }>("GET", pathOf`/projects/${slug}/workers`, {
        ...call,
        query,
      }),
    getWorker: (slug: string, workerId: string, call?: CallOptions) =>
      send<WorkerDetail>("GET", pathOf`/projects/${slug}/workers/${workerId}`, call),
  };
}
