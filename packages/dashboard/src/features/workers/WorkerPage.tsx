import type { WorkerDetail } from "@svc/client";
import { fieldTerm } from "@svc/client/task-query";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { paths } from "../../address/paths.ts";
import { api } from "../../api/api.ts";
import { type PageLoader, readAhead } from "../../api/read-ahead.ts";
import { usePollMs, useTimedMs } from "../../live/live.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { ButtonLink } from "../../ui/buttons/Button.tsx";
import { Glyph } from "../../ui/Icon.tsx";
import { finishedMeans, labels } from "../../ui/labels.ts";
import { type FactOf, Facts } from "../../ui/panels/Facts.tsx";
import { Panel } from "../../ui/panels/Panel.tsx";
import { About } from "../../ui/panels/PanelFacts.tsx";
import { PanelFrame } from "../../ui/panels/PanelFrame.tsx";
import panel from "../../ui/panels/panel.module.css";
import { StaleLine } from "../../ui/panels/QueryBoundary.tsx";
import { FleetPill } from "../../ui/StatePill.tsx";
import { bytes, count, nameText, percent, printable, printableLines } from "../../ui/time/format.ts";
import { Age, Stamp } from "../../ui/time/Stamp.tsx";
import { useNow } from "../../ui/time/ticker.ts";
import { usePage } from "../../ui/title.ts";
import { WorkerControls } from "../actions/index.ts";
import { FailuresPanel, TaskTable } from "../tasks/index.ts";
import { PoolBar } from "./PoolBar.tsx";
import { workerQuery } from "./queries.ts";
import { loadText, stateReason } from "./worker-states.ts";
import css from "./workers.module.css";

export const loader: PageLoader<{ slug: string; workerId: string }> = ({ params: { slug, workerId } }) =>
  readAhead(workerQuery(slug, workerId));

export function WorkerPage() {
  const { slug, workerId } = useParams({ from: "/signed-in/p/$slug/workers/$workerId" });
  const now = useNow();
  const pollMs = usePollMs();
  // What it said of itself is not pushed with its row.
  const read = useSuspenseQuery({
    ...workerQuery(slug, workerId),
    refetchInterval: useTimedMs(pollMs === false ? 30_000 : pollMs),
  });
  const worker = read.data;
  usePage([[slug, paths.project(slug)], ["Workers", paths.workers(slug)], [nameText(worker.name)]]);

  return (
    <>
      <div className={panel.head}>
        <FleetPill state={worker.state} />
        <h1 className="cut">{nameText(worker.name)}</h1>
        <span className="t2">{stateReason(worker, now)}</span>
        <span className="grow" />
        <ButtonLink href={paths.tasks(slug, { worker: worker.name, q: fieldTerm("engine", worker.engine) })}>
          Its tasks
        </ButtonLink>
      </div>
      <StaleLine name="The worker" read={read} />
      <Facts facts={factsOf(worker)} />
      <div className={panel.page}>
        <div className={panel.grid2}>
          <div className={panel.stack}>
            <CurrentTasks slug={slug} worker={worker} />
            <FailuresPanel slug={slug} of="worker" name={worker.name} engine={worker.engine} />
          </div>
          <div className={panel.stack}>
            <WorkerControls slug={slug} worker={worker} />
            <QueuesServed slug={slug} worker={worker} />
            <AboutWorker worker={worker} />
            <Reported worker={worker} />
          </div>
        </div>
      </div>
    </>
  );
}

function factsOf(worker: WorkerDetail): FactOf[] {
  const tried = worker.succeeded + worker.failed;
  return [
    { label: "Pool in use, now", value: <PoolBar worker={worker} /> },
    { label: "Load, as reported", value: loadText(worker.load_average) ?? "not reported" },
    {
      label: "Memory, as reported",
      value: worker.memory_bytes ? bytes(worker.memory_bytes) : "not reported",
    },
    {
      label: `${labels.finished}, 24 h`,
      title: finishedMeans,
      value: count(worker.processed),
      note: `${count(worker.retried)} retried`,
    },
    {
      label: `${labels.failed}, 24 h`,
      value:
        worker.failed > 0 ? (
          <>
            <Glyph name="failure" />
            {count(worker.failed)}
          </>
        ) : (
          "0"
        ),
      isWrong: worker.failed > 0,
      note: tried === 0 ? "no task finished" : `failure rate ${percent(worker.failed / tried)}`,
    },
    { label: "Heartbeat", value: <Age at={worker.last_heartbeat} suffix=" ago" /> },
  ];
}

interface OfWorker {
  slug: string;
  worker: WorkerDetail;
}

const tasksShown = 20;

/** Tasks that it started and that have not finished. */
function CurrentTasks({ slug, worker }: OfWorker) {
  const which = { worker: worker.name, q: fieldTerm("engine", worker.engine), state: "started" } as const;
  const tasks = useQuery({
    queryKey: ["worker-tasks", slug, which],
    queryFn: ({ signal }) => api.listTasks(slug, { ...which, limit: tasksShown }, { signal }),
    meta: { live: { project: slug } },
    refetchInterval: useTimedMs(5_000),
  });
  return (
    <Panel
      title={`${labels.running} now`}
      read={tasks}
      rows={Math.max(2, Math.min(tasksShown, worker.active_tasks))}
      missing={({ items, next_cursor }) => (next_cursor ? `Only the newest ${count(items.length)} are shown.` : null)}
      empty={({ items }) =>
        items.length > 0 ? null : (
          <p className={`${panel.inner} t2`}>
            {worker.active_tasks > 0
              ? `Reports ${count(worker.active_tasks)} running, but no matching task events have arrived.`
              : "Idle"}
          </p>
        )
      }
    >
      {({ items }) => (
        <TaskTable slug={slug} label={`${labels.running} now`} tasks={items} columns={["queue", "running"]} />
      )}
    </Panel>
  );
}

function QueuesServed({ slug, worker }: OfWorker) {
  return (
    <PanelFrame title="Queues it serves">
      {worker.queues.length === 0 ? (
        <p className={panel.foot}>Not reported. Its tasks tell from which queues it took them.</p>
      ) : (
        <div className={css.queues}>
          {worker.queues.map((name) => (
            <AppLink key={name} href={paths.queue(slug, worker.engine, name)}>
              {nameText(name)}
            </AppLink>
          ))}
        </div>
      )}
    </PanelFrame>
  );
}

function AboutWorker({ worker }: { worker: WorkerDetail }) {
  const facts: [string, React.ReactNode][] = [
    ["Engine", printable(worker.engine)],
    ["Host", printable(worker.hostname ?? "not reported")],
    ["Process", worker.pid ? `pid ${worker.pid}` : "not reported"],
    ["First seen", <Stamp key="first" at={worker.created_at} />],
    ["Announced", <Stamp key="told" at={worker.state_reported_at} none="it never announced its state" />],
    [
      "Worker id",
      <span key="id" className="mono">
        {worker.id}
      </span>,
    ],
  ];
  return <About facts={facts} />;
}

function Reported({ worker }: { worker: WorkerDetail }) {
  const said = Object.entries(worker.metadata).filter(
    ([, value]) => value !== null && value !== undefined && !isEmpty(value),
  );
  if (said.length === 0) return null;
  return (
    <PanelFrame title="What it says of itself">
      <div className={css.said}>
        {said.map(([name, value]) => (
          <details key={name}>
            <summary>{printable(name)}</summary>
            {/* Focusable, because it scrolls. */}
            <pre tabIndex={0} role="region" aria-label={`What it says of itself: ${printable(name)}`}>
              {printableLines(JSON.stringify(value, null, 2))}
            </pre>
          </details>
        ))}
      </div>
    </PanelFrame>
  );
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;
