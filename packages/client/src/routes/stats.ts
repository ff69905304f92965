import { type CallOptions, pathOf, type Send } from "../request.ts";
import type {
  Latency,
  LatencyQuery,
  ProjectStats,
  ReleaseMark,
  SlowestNames,
  Trends,
  TrendsQuery,
} from "../types/stats.ts";

export function statsRoutes(send: Send) {
  return {
    getStats: (slug: string, query: { hours?: number; since?: string; until?: string } = {}, call?: CallOptions) =>
      send<ProjectStats>("GET", pathOf`/projects/${slug}/stats`, { ...call, query }),
    getTrends: (slug: string, query: TrendsQuery = {}, call?: CallOptions) =>
      send<Trends>("GET", pathOf`/projects/${slug}/trends`, { ...call, query: { ...query } }),
    getLatency: (slug: string, query: LatencyQuery = {}, call?: CallOptions) =>
      send<Latency>("GET", pathOf`/projects/${slug}/latency`, { ...call, query: { ...query } }),
    /** Task names by the p95 of their runs, greatest first. */
    listSlowestNames: (
      slug: string,
      query: { since?: string; until?: string; limit?: number } = {},
      call?: CallOptions,
    ) => send<SlowestNames>("GET", pathOf`/projects/${slug}/latency/names`, { ...call, query }),
    /** Releases first seen in the range, by default of the last 24 hours, in order of time. */
    listReleases: (slug: string, query: { since?: string; until?: string } = {}, call?: CallOptions) =>
      send<{ items: ReleaseMark[] }>("GET", pathOf`/projects/${slug}/releases`, { ...call, query }),
  };
}
