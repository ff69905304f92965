import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { useHub, usePollMs, useTimedMs } from "../../live/live.ts";
import { paths } from "../../paths.ts";
import { instantRange, rangeParams } from "../../range-text.ts";
import { stringifySearch } from "../../search-text.ts";
import { useSetTimeRange, useTimeRange } from "../../time-range.ts";
import type { Bucket } from "../../ui/charts/marks.ts";
import { PageBones } from "../../ui/Feedback.tsx";
import { chartGaps } from "../../ui/gap-band/gaps.ts";
import { usePage } from "../../ui/title.ts";
import { agentsQuery, applyRows } from "../agents/queries.ts";
import { useGaps } from "../agents/use-gaps.ts";
import { projectQuery, statsQuery } from "../projects/queries.ts";
import { queueActivityQuery, queuesQuery } from "../queues/queries.ts";
import { workersQuery } from "../workers/queries.ts";
import { LatencyPanel, ThroughputPanel } from "./ChartPanels.tsx";
import { chartMarks } from "./chart-marks.ts";
import { FactStrip } from "./FactStrip.tsx";
import { IssuesPanel, NewestFailuresPanel } from "./FailurePanels.tsx";
import { FleetPanel } from "./FleetPanel.tsx";
import { endsOf } from "./facts.ts";
import css from "./overview.module.css";
import {
  endsQuery,
  failuresQuery,
  issuesQuery,
  latencyQuery,
  outcomesQuery,
  releasesQuery,
  slowestQuery,
  type Window,
  windowBefore,
} from "./overview-queries.ts";
import { QueuesPanel } from "./QueuesPanel.tsx";
import { SlowestPanel } from "./SlowestPanel.tsx";

const Onboarding = lazy(() => import("../projects/Onboarding.tsx").then((module) => ({ default: module.Onboarding })));

export function OverviewPage() {
  const { slug } = useParams({ from: "/signed-in/p/$slug/" });
  usePage([{ label: slug, href: paths.project(slug) }, { label: "Overview" }]);
  const stats = useQuery(statsQuery(slug));
  // A project without any task shows the way to the first one; once there, the board stays for good.
  const [hasTasks, setHasTasks] = useState(false);
  const total = stats.data?.tasks_total;
  if (!hasTasks && total !== undefined && total > 0) setHasTasks(true);
  // Not before it is known which of the two it is; without the figures it is the board.
  if (total === undefined && !stats.isError) return <PageBones />;
  if (!hasTasks && total === 0) {
    return (
      <Suspense fallback={<PageBones />}>
        <Onboarding slug={slug} onReady={() => setHasTasks(true)} />
      </Suspense>
    );
  }
  return <Board slug={slug} />;
}

function Board({ slug }: { slug: string }) {
  const router = useRouter();
  const range = useTimeRange();
  const setRange = useSetTimeRange();
  const project = useQuery(projectQuery(slug));
  const window: Window = { ...range, sinceMs: range.sinceMs ?? range.untilMs };
  const before = windowBefore(window);
  const windowLabel = range.label;
  const refetchInterval = useTimedMs(30_000);
  const pollMs = usePollMs();
  useFollowedQueues(slug);
  useFollowedWorkers(slug);

  const outcomes = useQuery({ ...outcomesQuery(slug, window), refetchInterval });
  const latency = useQuery({ ...latencyQuery(slug, window), refetchInterval });
  const agents = useQuery({ ...agentsQuery(slug), refetchInterval: pollMs });
  const queues = useQuery({ ...queuesQuery(slug), refetchInterval: pollMs });
  // What stands at the top comes first; the rest is asked for when that is there, or known to fail.
  const enabled = !outcomes.isLoading && !latency.isLoading;
  const issues = useQuery({ ...issuesQuery(slug, window), refetchInterval, enabled });
  const failures = useQuery({ ...failuresQuery(slug, window), refetchInterval, enabled });
  const slowest = useQuery({ ...slowestQuery(slug, window), refetchInterval, enabled });
  const workers = useQuery({ ...workersQuery(slug), refetchInterval: pollMs, enabled });
  const endsBefore = useQuery({ ...endsQuery(slug, before), enabled });
  const latencyBefore = useQuery({ ...latencyQuery(slug, before), enabled });
  const releases = useQuery({ ...releasesQuery(slug, window), refetchInterval, enabled });
  const activity = useQuery({ ...queueActivityQuery(slug), refetchInterval, enabled });
  const losses = useGaps(slug, rangeParams(window));

  const chart = {
    window,
    windowLabel,
    bands: chartGaps(losses.gaps, { fromMs: window.sinceMs, toMs: window.untilMs }),
    marks: chartMarks({ releases: releases.data?.items ?? [], agents: agents.data?.items ?? [] }, window),
    onRange: (fromMs: number, toMs: number) => setRange(instantRange(fromMs, toMs)),
    onOpen: ({ fromMs, toMs }: Bucket, state?: "failure") =>
      router.history.push(paths.tasks(slug) + stringifySearch({ state, ...instantRange(fromMs, toMs) })),
  };
  return (
    <>
      <h1 className="vh">Overview of {project.data?.name ?? slug}</h1>
      <FactStrip
        window={windowLabel}
        ends={{ isError: outcomes.isError, data: outcomes.data && endsOf(outcomes.data.series) }}
        endsBefore={endsBefore}
        latency={{ isError: latency.isError, data: latency.data?.total }}
        latencyBefore={{ isError: latencyBefore.isError, data: latencyBefore.data?.total }}
        queues={queues}
        agents={agents}
      />
      <div className={css.board}>
        <ThroughputPanel {...chart} query={outcomes} />
        <LatencyPanel {...chart} query={latency} />
        <IssuesPanel slug={slug} query={issues} window={window} windowLabel={windowLabel} />
        <SlowestPanel slug={slug} query={slowest} windowLabel={windowLabel} />
        <QueuesPanel slug={slug} query={queues} activities={activity.data?.items ?? []} />
        <FleetPanel slug={slug} agents={agents} workers={workers} losses={losses} windowLabel={windowLabel} />
        <NewestFailuresPanel slug={slug} query={failures} windowLabel={windowLabel} />
      </div>
    </>
  );
}

/** Keeps the cached queues in step with the hub. */
function useFollowedQueues(slug: string): void {
  const client = useQueryClient();
  useHub("queue.changed", (event) => {
    const key = queuesQuery(slug).queryKey;
    if (event.refetch) void client.invalidateQueries({ queryKey: key });
    else client.setQueryData(key, (old) => old && { ...old, items: applyRows(old.items, event) });
  });
}

function useFollowedWorkers(slug: string): void {
  const client = useQueryClient();
  useHub("worker.changed", (event) => {
    const key = workersQuery(slug).queryKey;
    if (event.refetch) void client.invalidateQueries({ queryKey: key });
    else client.setQueryData(key, (old) => old && { ...old, items: applyRows(old.items, event) });
  });
}
