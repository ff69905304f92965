import { type CallOptions, pathOf, type Send } from "../request.ts";
import type { ProjectStats, Trends, TrendsQuery } from "../types/stats.ts";

export function statsRoutes(send: Send) {
  return {
    getStats: (slug: string, query: { hours?: number } = {}, call?: CallOptions) =>
      send<ProjectStats>("GET", pathOf`/projects/${slug}/stats`, { ...call, query }),
    getTrends: (slug: string, query: TrendsQuery = {}, call?: CallOptions) =>
      send<Trends>("GET", pathOf`/projects/${slug}/trends`, { ...call, query: { ...query } }),
  };
}
