import { plural, type Queue, type QueueActivity } from "@svc/client";
import { fieldTerm } from "@svc/client/task-query";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { paths } from "../../address/paths.ts";
import { type PageLoader, readAhead } from "../../api/read-ahead.ts";
import { usePollMs, useTimedMs } from "../../live/live.ts";
import { Button, ButtonLink } from "../../ui/buttons/Button.tsx";
import controls from "../../ui/controls.module.css";
import { Glyph } from "../../ui/Icon.tsx";
import { finishedMeans, labels } from "../../ui/labels.ts";
import { type FactOf, Facts } from "../../ui/panels/Facts.tsx";
import { NoteLine } from "../../ui/panels/Lines.tsx";
import panel from "../../ui/panels/panel.module.css";
import { StaleLine } from "../../ui/panels/QueryBoundary.tsx";
import { age, count, nameText, printable } from "../../ui/time/format.ts";
import { instant } from "../../ui/time/instants.ts";
import { Age } from "../../ui/time/Stamp.tsx";
import { useNow } from "../../ui/time/ticker.ts";
import { usePage } from "../../ui/title.ts";
import { agentsQuery } from "../agents/index.ts";
import { FailuresPanel } from "../tasks/index.ts";
import { DepthPanel, LatencyPanel } from "./ChartPanels.tsx";
import { QueueStates, QueueWorkers } from "./QueuePanels.tsx";
import { queueActivityQuery, queueQuery } from "./queries.ts";
import { Workers } from "./queue-columns.tsx";
import { holdOf, isStale, perMinute, reportsEntries, type Trouble, troubleOf } from "./trouble.ts";

const QueueControls = lazy(() =>
  import("../actions/fleet/QueueControls.tsx").then((part) => ({ default: part.QueueControls })),
);

export const loader: PageLoader<{ slug: string; engine: string; name: string }> = ({ params }) => {
  const { slug, engine, name } = params;
  return Promise.all([
    readAhead(queueQuery(slug, engine, name)),
    readAhead(queueActivityQuery(slug, { name })),
    readAhead(agentsQuery(slug)),
  ]);
};

export function QueuePage() {
  const { slug, engine, name } = useParams({ from: "/signed-in/p/$slug/queues/$engine/$name" });
  usePage([[slug, paths.project(slug)], ["Queues", paths.queues(slug)], [nameText(name)]]);
  const now = useNow();
  const read = useSuspenseQuery({ ...queueQuery(slug, engine, name), refetchInterval: usePollMs() });
  const queue = read.data;
  const activities = useQuery({ ...queueActivityQuery(slug, { name }), refetchInterval: useTimedMs(30_000) });
  const activity = activities.data?.items.find((one) => one.queue_id === queue.id);
  const namesakes = activities.data?.items.filter((one) => one.queue_id !== queue.id) ?? [];
  const windowMs = activities.data ? Date.parse(activities.data.to) - Date.parse(activities.data.from) : 0;
  const trouble = troubleOf(queue, activity, now);

  return (
    <>
      <div className={panel.head}>
        <h1 className="cut">{nameText(queue.name)}</h1>
        <span className={controls.tag}>{printable(queue.engine)}</span>
        {queue.broker_url_hint ? <span className="t3 cut">{printable(queue.broker_url_hint)}</span> : null}
        <span className="grow" />
        <ButtonLink href={paths.tasks(slug, { queue: queue.name, q: fieldTerm("engine", queue.engine) })}>
          View tasks
        </ButtonLink>
        <Suspense fallback={<Button disabledReason="Loading">Purge</Button>}>
          <QueueControls slug={slug} queue={queue} />
        </Suspense>
      </div>
      <StaleLine name="The queue" read={read} />
      <Warning queue={queue} trouble={trouble} now={now} />
      <Facts facts={factsOf({ queue, activity, trouble, windowMs })} />
      <div className={panel.page}>
        <div className={panel.grid2}>
          <div className={panel.stack}>
            <DepthPanel slug={slug} queue={queue} />
            <LatencyPanel slug={slug} queue={queue} others={namesakes.map((one) => one.engine)} />
            <FailuresPanel slug={slug} of="queue" name={queue.name} engine={queue.engine} />
          </div>
          <div className={panel.stack}>
            <QueueStates slug={slug} queue={queue} />
            <QueueWorkers slug={slug} queue={queue} />
          </div>
        </div>
      </div>
    </>
  );
}

/** The most serious known problem of the queue, with what to do about it. */
function Warning({ queue, trouble, now }: { queue: Queue; trouble: Trouble; now: number }) {
  if (trouble === "stuck") {
    return (
      <NoteLine glyph="failure">
        {plural(queue.pending_count, "task is", "tasks are")} waiting, but no worker is connected to this queue. Start a
        worker that serves it.
      </NoteLine>
    );
  }
  if (isStale(queue, now)) {
    return (
      <NoteLine>
        No agent has reported this queue for {age(now - instant(queue.depth_reported_at ?? queue.last_seen_at))}. The
        counts may be out of date.
      </NoteLine>
    );
  }
  const hold = holdOf(queue);
  if (hold === "paused") return <NoteLine glyph="pending">The queue is paused, so no task starts.</NoteLine>;
  if (hold === "rate limited" && trouble !== null)
    return <NoteLine glyph="pending">The queue's rate limit is used up, so no task starts until it resets.</NoteLine>;
  if (trouble === "long wait")
    return <NoteLine glyph="pending">The oldest task has been waiting for more than 5 minutes.</NoteLine>;
  if (trouble === "growing")
    return (
      <NoteLine glyph="pending">
        Tasks are added faster than they finish. Add workers or increase their concurrency.
      </NoteLine>
    );
  return null;
}

interface FactsInput {
  queue: Queue;
  activity: QueueActivity | undefined;
  trouble: Trouble;
  windowMs: number;
}

function factsOf({ queue, activity, trouble, windowMs }: FactsInput): FactOf[] {
  const rate = (counted: number | undefined) =>
    counted === undefined ? (
      "–"
    ) : (
      <>
        {perMinute(counted, windowMs)}
        <small>per min</small>
      </>
    );
  return [
    {
      label: `${labels.waiting}, now`,
      value: queue.depth_reported_at === null ? "not reported" : count(queue.pending_count),
      isBad: trouble === "stuck",
      note: (
        <>
          {queue.depth_reported_at ? "updated " : ""}
          <Age at={queue.depth_reported_at ?? null} suffix=" ago" none="queue known from events only" />
        </>
      ),
    },
    {
      label: `${labels.oldestWaiting}, now`,
      value: <Age at={queue.oldest_waiting_since} none="–" />,
      isBad: trouble === "stuck" || trouble === "long wait",
    },
    { label: `${labels.workers}, now`, value: <Workers queue={queue} isStuck={trouble === "stuck"} /> },
    activity === undefined || reportsEntries(activity)
      ? {
          label: "Added, last hour",
          value: rate(activity?.entered),
          note: activity && `${count(activity.entered)} total`,
        }
      : { label: "Added, last hour", value: "not reported" },
    {
      label: `${labels.finished}, last hour`,
      title: finishedMeans,
      value: rate(activity?.ended),
      note: activity && `${count(activity.ended)} total`,
    },
    {
      label: `${labels.failed}, last hour`,
      value:
        activity === undefined ? (
          "–"
        ) : activity.failed > 0 ? (
          <>
            <Glyph name="failure" />
            {count(activity.failed)}
          </>
        ) : (
          "0"
        ),
      isBad: (activity?.failed ?? 0) > 0,
      note: activity && (activity.ended === 0 ? "no finished tasks" : null),
    },
  ];
}
