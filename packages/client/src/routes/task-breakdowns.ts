import { type CallOptions, pathOf, type Send } from "../request.ts";
import type {
  Facet,
  FacetQuery,
  TaskDifferences,
  TaskDifferencesQuery,
  TaskHistogram,
  TaskHistogramQuery,
} from "../types/task-breakdowns.ts";

export function taskBreakdownRoutes(send: Send) {
  return {
    getFacet: (slug: string, query: FacetQuery, call?: CallOptions) =>
      send<Facet>("GET", pathOf`/projects/${slug}/facets`, { ...call, query: { ...query } }),
    getTaskHistogram: (slug: string, query: TaskHistogramQuery = {}, call?: CallOptions) =>
      send<TaskHistogram>("GET", pathOf`/projects/${slug}/tasks/histogram`, { ...call, query: { ...query } }),
    getTaskDifferences: (slug: string, query: TaskDifferencesQuery, call?: CallOptions) =>
      send<TaskDifferences>("GET", pathOf`/projects/${slug}/tasks/differences`, { ...call, query: { ...query } }),
  };
}
