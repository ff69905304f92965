import type { Agent, Issue, Queue, SavedView, Schedule, Worker } from "@svc/client";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { paths } from "../../address/paths.ts";
import { api } from "../../api/api.ts";
import { agentsQuery } from "../../features/agents/index.ts";
import { titleOf } from "../../features/issues/index.ts";
import { queuesQuery } from "../../features/queues/index.ts";
import { schedulesQuery } from "../../features/schedules/index.ts";
import { savedViewsQuery, viewSearch } from "../../features/task-data/index.ts";
import { workersQuery } from "../../features/workers/index.ts";
import type { Entry } from "../../palette/entries.ts";
import { count, nameText, printable } from "../../ui/time/format.ts";

type Go = (href: string) => () => void;

interface Found {
  entries: Entry[];
  isLoading: boolean;
  /** A list could not be loaded. */
  isPartial: boolean;
}

/** Issues with a failure in the last week, newest first. */
const recentIssuesQuery = (slug: string) =>
  queryOptions({
    queryKey: ["issues", slug, "palette"],
    queryFn: ({ signal }) => api.listIssues(slug, { hours: 168, limit: 100 }, { signal }),
    staleTime: 30_000,
  });

/**
 * Queues, workers, agents, schedules, issues and saved views of the project. The first 500 of each are loaded once typing begins and are filtered
 * locally, so that typing sends no requests.
 */
export function useFoundEntries(slug: string | null, typed: string, go: Go): Found {
  const at = slug ?? "";
  const once = { enabled: slug !== null && typed !== "", meta: { quiet: true } };
  const queues = useQuery({ ...queuesQuery(at), ...once, staleTime: 30_000 });
  const workers = useQuery({ ...workersQuery(at), ...once, staleTime: 30_000 });
  const agents = useQuery({ ...agentsQuery(at), ...once, staleTime: 30_000 });
  const schedules = useQuery({ ...schedulesQuery(at), ...once });
  const issues = useQuery({ ...recentIssuesQuery(at), ...once });
  const views = useQuery({ ...savedViewsQuery(at), ...once });
  if (!once.enabled) return { entries: [], isLoading: false, isPartial: false };
  const reads = [queues, workers, agents, schedules, issues, views];
  return {
    entries: [
      ...(queues.data?.items ?? []).map((queue) => queueEntry(at, queue, go)),
      ...(queues.data?.next_cursor ? [longListEntry(at, typed, go)] : []),
      ...(workers.data?.items ?? []).map((worker) => workerEntry(at, worker, go)),
      ...(agents.data?.items ?? []).map((agent) => agentEntry(at, agent, go)),
      ...(schedules.data?.items ?? []).map((schedule) => scheduleEntry(at, schedule, go)),
      ...(issues.data?.items ?? []).map((issue) => issueEntry(at, issue, go)),
      ...(views.data?.items ?? []).map((view) => viewEntry(at, view, go)),
    ],
    isLoading: reads.some((read) => read.isLoading),
    isPartial: reads.some((read) => read.isError && read.data === undefined),
  };
}

const queueEntry = (slug: string, { id, engine, name, pending_count: waiting }: Queue, go: Go): Entry => ({
  id: `queue ${id}`,
  group: "Queues",
  label: nameText(name),
  detail: `${printable(engine)}, ${count(waiting)} waiting`,
  also: "queue",
  icon: "queues",
  run: go(paths.queue(slug, engine, name)),
});

/** If there are more queues than the palette loads, the queues page searches all of them. */
const longListEntry = (slug: string, typed: string, go: Go): Entry => ({
  id: "queues filter",
  group: "Queues",
  label: `Find “${printable(typed)}” in queues`,
  icon: "search",
  run: go(paths.queues(slug, { filter: typed })),
});

const workerEntry = (slug: string, { id, engine, name, state }: Worker, go: Go): Entry => ({
  id: `worker ${id}`,
  group: "Workers",
  label: nameText(name),
  detail: `${printable(engine)}, ${state}`,
  also: "worker",
  icon: "workers",
  run: go(paths.worker(slug, id)),
});

const agentEntry = (slug: string, { id, name, state }: Agent, go: Go): Entry => ({
  id: `agent ${id}`,
  group: "Agents",
  label: nameText(name),
  detail: state,
  also: "agent",
  icon: "agents",
  run: go(paths.agent(slug, id)),
});

const scheduleEntry = (slug: string, { id, name, description, expression }: Schedule, go: Go): Entry => ({
  id: `schedule ${id}`,
  group: "Schedules",
  label: nameText(name),
  detail: printable(description ?? expression),
  also: "schedule cron",
  icon: "schedules",
  run: go(paths.schedule(slug, id)),
});

function issueEntry(slug: string, issue: Issue, go: Go): Entry {
  const { type, message } = titleOf(issue);
  return {
    id: `issue ${issue.fingerprint}`,
    group: "Issues",
    label: printable(message === "" ? type : `${type}: ${message}`),
    detail: `${nameText(issue.sample_task_name ?? "")}, ${count(issue.open_count)} still failing`,
    also: `issue ${issue.fingerprint}`,
    icon: "issues",
    run: go(paths.issue(slug, issue.fingerprint)),
  };
}

const viewEntry = (slug: string, view: SavedView, go: Go): Entry => ({
  id: `view ${view.id}`,
  group: "Saved views",
  label: printable(view.name),
  detail: "task list",
  also: "view",
  icon: "tasks",
  run: go(paths.tasks(slug, viewSearch(view))),
});
