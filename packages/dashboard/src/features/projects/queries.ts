import type { ProjectStats } from "@svc/client";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api.ts";
import type { Live } from "../../live/declared.ts";

export const projectsQuery = queryOptions({
  queryKey: ["projects"],
  queryFn: ({ signal }) => api.listProjects({}, { signal }),
  staleTime: 30_000,
});

export const homeSummaryQuery = queryOptions({
  queryKey: ["home-summary"],
  queryFn: ({ signal }) => api.getHomeSummary({ signal }),
  staleTime: 10_000,
  meta: { live: {} },
});

export const projectQuery = (slug: string) =>
  queryOptions({
    queryKey: ["project", slug],
    queryFn: ({ signal }) => api.getProject(slug, { signal }),
    staleTime: 30_000,
  });

type Counts = { counts?: Record<string, number> };
const isNeverStale = () => false;

/** Change events correct those figures that matter between two reads. */
const countsOfStats: Live["on"] = {
  "task.changed": {
    patch: (stats: ProjectStats, { counts }: Counts): ProjectStats =>
      counts ? { ...stats, tasks_by_state: counts } : stats,
    isStale: isNeverStale,
  },
  "agent.changed": {
    patch(stats: ProjectStats, { counts }: Counts): ProjectStats {
      if (!counts) return stats;
      // As in the figures: an agent that was never connected is offline too.
      const { online = 0, ...others } = counts;
      return { ...stats, agents_online: online, agents_offline: Object.values(others).reduce((a, b) => a + b, 0) };
    },
    isStale: isNeverStale,
  },
  "command.changed": {
    patch(stats: ProjectStats, { counts }: Counts): ProjectStats {
      if (!counts) return stats;
      const { pending = 0, dispatched = 0 } = counts;
      return { ...stats, commands_pending: pending, commands_dispatched: dispatched };
    },
    isStale: isNeverStale,
  },
};

export const statsQuery = (slug: string) =>
  queryOptions({
    queryKey: ["stats", slug],
    queryFn: ({ signal }) => api.getStats(slug, { hours: 24 }, { signal }),
    staleTime: 10_000,
    meta: { live: { project: slug, on: countsOfStats, onResume: "read-if-stale" } },
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
