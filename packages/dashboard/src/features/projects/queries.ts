import { type ProjectStats, taskStates } from "@svc/client";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "../../api/api.ts";
import type { Live } from "../../live/declared.ts";
import { roleIn, useMe } from "../sessions/index.ts";
import { whyNotAs, whyNotManage } from "./may-not.ts";

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

/** Change events update the important figures between two reads. */
const corrected = (figures: (counts: Record<string, number>) => Partial<ProjectStats>) => ({
  patch: (stats: ProjectStats, { counts }: { counts?: Record<string, number> }): ProjectStats =>
    counts ? { ...stats, ...figures(counts) } : stats,
  isStale: () => false,
});

/** A change event has no count for a state without tasks. */
const byState = (counts: Record<string, number>) =>
  Object.fromEntries(taskStates.map((state) => [state, counts[state] ?? 0])) as ProjectStats["tasks_by_state"];

const liveStats: Live["on"] = {
  "task.changed": corrected((counts) => ({ tasks_by_state: byState(counts) })),
  "agent.changed": corrected(({ online = 0, offline = 0 }) => ({ agents_online: online, agents_offline: offline })),
  // The server decides which offline workers count as missing.
  "worker.changed": {
    isStale: ({ counts }, stats: ProjectStats | undefined) =>
      counts !== undefined && counts.online !== stats?.workers_online,
    delayMs: 5_000,
  },
  "command.changed": corrected(({ pending = 0, dispatched = 0 }) => ({
    commands_pending: pending,
    commands_dispatched: dispatched,
  })),
  "schedule.changed": corrected(({ stopped = 0 }) => ({ schedules_stopped: stopped })),
};

export const statsQuery = (slug: string) =>
  queryOptions({
    queryKey: ["stats", slug],
    queryFn: ({ signal }) => api.getStats(slug, { hours: 24 }, { signal }),
    staleTime: 10_000,
    meta: { live: { project: slug, on: liveStats, onResume: "read-if-stale" } },
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

/** Why the user may not do what needs a role in the project (operator by default); null when allowed. */
export function useMayNot(slug: string, role?: "viewer" | "admin"): string | null {
  const project = useQuery(projectQuery(slug)).data;
  return whyNotAs(roleIn(useMe(), slug), project, role);
}

/** Why the user may not change settings, members and agents of the project; null when allowed. */
export function useMayNotManage(slug: string): string | null {
  const project = useQuery(projectQuery(slug)).data;
  return whyNotManage(roleIn(useMe(), slug), project);
}
