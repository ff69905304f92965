import type { FacetQuery, TaskFilters, TaskHistogramQuery } from "@svc/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { AddressRange } from "../../address/range-text.ts";
import { api } from "../../api/api.ts";

/** The exact count is a separate aggregate: requested once per filter, after the rows have loaded. */
export const taskTotalQuery = (slug: string, filters: TaskFilters) =>
  queryOptions({
    queryKey: ["task-total", slug, filters],
    queryFn: async ({ signal }) => {
      const page = await api.listTasks(slug, { ...filters, limit: 1, include_total: true }, { signal });
      return page.total_count ?? null;
    },
    staleTime: 60_000,
  });

/** Values of one field under the list's other filters. A timer refreshes the counts. */
export const facetQuery = (slug: string, query: FacetQuery) =>
  queryOptions({
    queryKey: ["facet", slug, query],
    queryFn: ({ signal }) => api.getFacet(slug, query, { signal }),
    staleTime: 10_000,
    meta: { live: { onResume: "read-if-stale" } },
  });

export const histogramQuery = (slug: string, query: TaskHistogramQuery) =>
  queryOptions({
    queryKey: ["task-histogram", slug, query],
    queryFn: ({ signal }) => api.getTaskHistogram(slug, query, { signal }),
    staleTime: 15_000,
    meta: { live: { onResume: "read-if-stale" } },
  });

/** When each release first ran; shared with the overview. */
export const releaseMarksQuery = (slug: string, range: AddressRange) =>
  queryOptions({
    queryKey: ["releases", slug, range],
    queryFn: ({ signal }) => api.listReleases(slug, range, { signal }),
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });
