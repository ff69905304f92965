import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { paths } from "../../address/paths.ts";
import { type Bounds, boundsNow, instantRange, rangeParams } from "../../address/range-bounds.ts";
import { useSetTimeRange, useTimeRange } from "../../address/time-range.ts";
import { type PageLoader, readAhead } from "../../api/read-ahead.ts";
import { useIsStreamSettled, usePollMs, useTimedMs } from "../../live/live.ts";
import { useGo } from "../../ui/buttons/AppLink.tsx";
import type { Bucket } from "../../ui/charts/parts/marks.ts";
import { chartGaps } from "../../ui/gap-band/gaps.ts";
import { PageSkeleton } from "../../ui/panels/Feedback.tsx";
import { usePage } from "../../ui/title.ts";
import { agentsQuery, useGaps } from "../agents/index.ts";
import { projectQuery, statsQuery } from "../projects/index.ts";
import { queueActivityQuery, queuesQuery } from "../queues/index.ts";
import { releaseMarksQuery } from "../task-data/index.ts";
import { workersQuery } from "../workers/index.ts";
import css from "./overview.module.css";
import {
  endsBeforeQuery,
  failuresQuery,
  issuesQuery,
  latencyBeforeQuery,
  latencyQuery,
  outcomesQuery,
  slowestQuery,
  type Window,
} from "./overview-queries.ts";
import { LatencyPanel, OutcomePanel } from "./panels/ChartPanels.tsx";
import { chartMarks } from "./panels/chart-marks.ts";
import { FactStrip } from "./panels/FactStrip.tsx";
import { IssuesPanel, NewestFailuresPanel } from "./panels/FailurePanels.tsx";
import { FleetPanel } from "./panels/FleetPanel.tsx";
import { endsOf, endsOfStats } from "./panels/facts.ts";
import { QueuesPanel } from "./panels/QueuesPanel.tsx";
import { SlowestPanel } from "./panels/SlowestPanel.tsx";

const Onboarding = lazy(() => import("../onboarding/index.ts").then((module) => ({ default: module.Onboarding })));

const windowOf = (range: Bounds): Window => ({ ...range, sinceMs: range.sinceMs ?? range.untilMs });

/** The queues and the panels below load later: see `Board`. */
export const loader: PageLoader<{ slug: string }> = ({ params: { slug }, location }) => {
  const window = windowOf(boundsNow(location.search));
  return Promise.all([
    readAhead(outcomesQuery(slug, window)),
    readAhead(latencyQuery(slug, window)),
    readAhead(issuesQuery(slug, window)),
    readAhead(slowestQuery(slug, window)),
  ]);
};

export function OverviewPage() {
  const { slug } = useParams({ from: "/signed-in/p/$slug/" });
  usePage([[slug, paths.project(slug)], ["Overview"]]);
  const stats = useQuery(statsQuery(slug));
  // A project without tasks shows the onboarding, which stays with the first task until the user continues to the board.
  // While that is unknown, the board is shown; its panels load on their own.
  const [place, setPlace] = useState<"unknown" | "onboarding" | "board">("unknown");
  const total = stats.data?.tasks_total;
  if (place === "unknown" && total !== undefined) setPlace(total === 0 ? "onboarding" : "board");
  if (place === "onboarding") {
    return (
      <Suspense fallback={<PageSkeleton />}>
        <Onboarding slug={slug} onReady={() => setPlace("board")} />
      </Suspense>
    );
  }
  return <Board slug={slug} />;
}

/** The maximum time that a later read waits for the earlier ones; slow connections need it. */
const patienceMs = 5000;

/** Whether a deferred read may start: once what it waits for is rendered, or after a timeout. Never goes back to false. */
function useIsDue(isThere: boolean): boolean {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), isThere ? 0 : patienceMs);
    return () => clearTimeout(timer);
  }, [isThere]);
  return isDue;
}

function Board({ slug }: { slug: string }) {
  const go = useGo();
  const range = useTimeRange();
  const setRange = useSetTimeRange();
  const project = useQuery(projectQuery(slug));
  const window = windowOf(range);
  const windowLabel = range.label;
  const refetchInterval = useTimedMs(30_000);
  // The same window as the list of projects; the chart's buckets begin up to one bucket earlier.
  const isDay = range.since === "-24h" && range.isOpen;
  const stats = useQuery({ ...statsQuery(slug), refetchInterval: isDay && refetchInterval });
  const pollMs = usePollMs();

  // The first screen: figures, both charts, issues, slowest tasks and queues. Fifteen requests, including the page's files.
  const outcomes = useQuery({ ...outcomesQuery(slug, window), refetchInterval });
  const latency = useQuery({ ...latencyQuery(slug, window), refetchInterval });
  // Starts once the stream is open: earlier reads would have to be repeated then.
  const isFollowed = useIsDue(useIsStreamSettled());
  const queues = useQuery({ ...queuesQuery(slug), refetchInterval: pollMs, enabled: isFollowed });
  const issues = useQuery({ ...issuesQuery(slug, window), refetchInterval });
  const slowest = useQuery({ ...slowestQuery(slug, window), refetchInterval });
  const first = [outcomes, latency, queues, issues, slowest];

  // Then the fleet, the newest failures, the previous window and the chart annotations.
  const enabled = useIsDue(isFollowed && first.every((read) => !read.isLoading));
  const agents = useQuery({ ...agentsQuery(slug), refetchInterval: pollMs, enabled });
  const workers = useQuery({ ...workersQuery(slug), refetchInterval: pollMs, enabled });
  const failures = useQuery({ ...failuresQuery(slug, window), refetchInterval, enabled });
  const before = { refetchInterval: useTimedMs(60_000), enabled };
  const endsBefore = useQuery({ ...endsBeforeQuery(slug, window), ...before });
  const latencyBefore = useQuery({ ...latencyBeforeQuery(slug, window), ...before });
  const releases = useQuery({ ...releaseMarksQuery(slug, rangeParams(window)), refetchInterval, enabled });
  const activity = useQuery({ ...queueActivityQuery(slug), refetchInterval, enabled });
  const losses = useGaps(slug, rangeParams(window), enabled);

  const chart = {
    window,
    windowLabel,
    bornMs: project.data && Date.parse(project.data.created_at),
    bands: chartGaps(losses.gaps, { fromMs: window.sinceMs, toMs: window.untilMs }),
    marks: chartMarks({ releases: releases.data?.items ?? [], agents: agents.data?.items ?? [] }, window),
    onRange: (fromMs: number, toMs: number) => setRange(instantRange(fromMs, toMs)),
    onOpen: ({ fromMs, toMs }: Bucket, state?: "failure") =>
      go(paths.tasks(slug, { state, ...instantRange(fromMs, toMs) })),
  };
  return (
    <>
      <h1 className="vh">Overview of {project.data?.name ?? slug}</h1>
      <FactStrip
        window={windowLabel}
        ends={
          isDay
            ? { ...readOf(stats), data: stats.data && endsOfStats(stats.data) }
            : { ...readOf(outcomes), data: outcomes.data && endsOf(outcomes.data.series) }
        }
        endsBefore={endsBefore}
        latency={{ ...readOf(latency), data: latency.data?.total }}
        latencyBefore={{ ...readOf(latencyBefore), data: latencyBefore.data }}
        queues={queues}
        depths={activity.data}
        agents={agents}
        stats={stats.data}
      />
      <div className={css.board}>
        <OutcomePanel {...chart} query={outcomes} />
        <LatencyPanel {...chart} query={latency} />
        <IssuesPanel slug={slug} query={issues} window={window} windowLabel={windowLabel} />
        <SlowestPanel slug={slug} query={slowest} windowLabel={windowLabel} />
        <QueuesPanel slug={slug} query={queues} activities={activity.data?.items ?? []} />
        <FleetPanel
          slug={slug}
          agents={agents}
          workers={workers}
          queues={queues.data?.items}
          losses={losses}
          windowLabel={windowLabel}
        />
        <NewestFailuresPanel slug={slug} query={failures} windowLabel={windowLabel} />
      </div>
    </>
  );
}

const readOf = ({ isError, isPlaceholderData }: { isError: boolean; isPlaceholderData: boolean }) => ({
  isError,
  isPlaceholderData,
});
