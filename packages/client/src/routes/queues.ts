import { type CallOptions, pathOf, type Send } from "../request.ts";
import type { Queue, QueueActivities, QueueDepths } from "../types/queues.ts";

export function queueRoutes(send: Send) {
  return {
    listQueues: (slug: string, query: { cursor?: string; limit?: number } = {}, call?: CallOptions) =>
      send<{ items: Queue[]; next_cursor: string | null }>("GET", pathOf`/projects/${slug}/queues`, { ...call, query }),
    getQueue: (slug: string, engine: string, name: string, call?: CallOptions) =>
      send<Queue>("GET", pathOf`/projects/${slug}/queues/${engine}/${name}`, call),
    getQueueActivity: (
      slug: string,
      query: { minutes?: number; engine?: string; name?: string } = {},
      call?: CallOptions,
    ) => send<QueueActivities>("GET", pathOf`/projects/${slug}/queues/activity`, { ...call, query }),
    getQueueDepths: (
      slug: string,
      queue: { engine: string; name: string; since?: string; until?: string },
      call?: CallOptions,
    ) => {
      const { engine, name, since, until } = queue;
      const path = pathOf`/projects/${slug}/queues/${engine}/${name}/depths`;
      return send<QueueDepths>("GET", path, { ...call, query: { since, until } });
    },
  };
}
