import { type CallOptions, pathOf, type Send } from "../request.ts";
import type {
  GetStatsQuery,
  Latency,
  ListReleasesQuery,
  ListSlowestNamesQuery,
  ProjectStats,
  ReleasePage,
  SlowestNames,
  Trends,
} from "../types/api.generated.ts";
import type { LatencyQuery, TrendsQuery } from "../types/queries.ts";

export function statsRoutes(send: Send) {
  return {
    getStats: (slug: string, query: GetStatsQuery = {}, call?: CallOptions) =>
      send<ProjectStats>("GET", pathOf`/projects/${slug}/stats`, { ...call, query: { ...query } }),
    getTrends: (slug: string, query: TrendsQuery = {}, call?: CallOptions) =>
      send<Trends>("GET", pathOf`/projects/${slug}/trends`, { ...call, query: { ...query } }),
    getLatency: (slug: string, query: LatencyQuery = {}, call?: CallOptions) =>
      send<Latency>("GET", pathOf`/projects/${slug}/latency`, { ...call, query: { ...query } }),
    /** Task names by the p95 of their runs, greatest first. */
    listSlowestNames: (slug: string, query: ListSlowestNamesQuery = {}, call?: CallOptions) =>
      send<SlowestNames>("GET", pathOf`/projects/${slug}/latency/names`, { ...call, query: { ...query } }),
    /** Releases first seen in the range, by default of the last 24 hours, in order of time. */
    listReleases: (slug: string, query: ListReleasesQuery = {}, call?: CallOptions) =>
      send<ReleasePage>("GET", pathOf`/projects/${slug}/releases`, { ...call, query: { ...query } }),
  };
}
