import { type CallOptions, pathOf, type Send } from "../request.ts";
import type { Facet, FacetQuery } from "../types/task-breakdowns.ts";

export function taskBreakdownRoutes(send: Send) {
  return {
    getFacet: (slug: string, query: FacetQuery, call?: CallOptions) =>
      send<Facet>("GET", pathOf`/projects/${slug}/facets`, { ...call, query: { ...query } }),
  };
}
