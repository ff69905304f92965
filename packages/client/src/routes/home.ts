import type { CallOptions, Send } from "../request.ts";
import type { HomeSummary, RecentFailurePage } from "../types/home.ts";

export function homeRoutes(send: Send) {
  return {
    getHomeSummary: (call?: CallOptions) => send<HomeSummary>("GET", "/home/summary", call),
    listRecentFailures: (query: { cursor?: string; limit?: number } = {}, call?: CallOptions) =>
      send<RecentFailurePage>("GET", "/home/recent-failures", { ...call, query }),
  };
}
