import { type CallOptions, pathOf, type Send } from "../request.ts";
import type { Queue } from "../types/queues.ts";

export function queueRoutes(send: Send) {
  return {
    listQueues: (slug: string, query: { cursor?: string; limit?: number } = {}, call?: CallOptions) =>
      send<{ items: Queue[]; next_cursor: string | null }>("GET", pathOf`/projects/${slug}/queues`, { ...call, query }),
  };
}
