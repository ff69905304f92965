import { type CallOptions, pathOf, type Send } from "../request.ts";
import type { EventListQuery, EventPage } from "../types/events.ts";

export function eventRoutes(send: Send) {
  return {
    listEvents: (slug: string, query: EventListQuery, call?: CallOptions) =>
      send<EventPage>("GET", pathOf`/projects/${slug}/events`, { ...call, query: { ...query } }),
  };
}
