import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/api.ts";

export const projectsQuery = queryOptions({
  queryKey: ["projects"],
  queryFn: ({ signal }) => api.listProjects({}, { signal }),
  staleTime: 30_000,
});

export const homeSummaryQuery = queryOptions({
  queryKey: ["home-summary"],
  queryFn: ({ signal }) => api.getHomeSummary({ signal }),
  staleTime: 10_000,
});

export const projectQuery = (slug: string) =>
  queryOptions({
    queryKey: ["project", slug],
    queryFn: ({ signal }) => api.getProject(slug, { signal }),
    staleTime: 30_000,
  });

export const statsQuery = (slug: string) =>
  queryOptions({
    queryKey: ["stats", slug],
    queryFn: ({ signal }) => api.getStats(slug, { hours: 24 }, { signal }),
    staleTime: 10_000,
  });

/** Archived projects alone, by name. */
export const archivedProjectsQuery = queryOptions({
  queryKey: ["projects", "archived"],
  queryFn: async ({ signal }) => {
    const projects = await api.listProjects({ include_archived: true }, { signal });
    return projects.filter(({ is_active }) => !is_active);
  },
  staleTime: 30_000,
});
