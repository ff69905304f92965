import { plural, type WorkerDetail } from "@svc/client";
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
import { agentsQuery } from "../agents/index.ts";
import { FailuresPanel, TaskTable } from "../tasks/index.ts";
import { PoolBar } from "./PoolBar.tsx";
import { workerQuery } from "./queries.ts";
import { loadText, stateReason } from "./worker-states.ts";
import css from "./workers.module.css";

export const loader: PageLoader<{ slug: string; workerId: string }> = ({ params: { slug, workerId } }) =>
  Promise.all([readAhead(workerQuery(slug, workerId)), readAhead(agentsQuery(slug))]);

export function WorkerPage() {
  const { slug, workerId } = useParams({ from: "/signed-in/p/$slug/workers/$workerId" });
  const now = useNow();
  const pollMs = usePollMs();
  // Change events do not include the metadata, so it is polled.
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
          View tasks
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
  const load = loadText(worker.load_average);
  return [
    { label: `${labels.running}, now`, value: <PoolBar worker={worker} /> },
    ...(load === null ? [] : [{ label: "Load, as reported", value: load }]),
    ...(worker.memory_bytes ? [{ label: "Memory, as reported", value: bytes(worker.memory_bytes) }] : []),
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
      isBad: worker.failed > 0,
      note: tried === 0 ? "no succeeded or failed tasks" : `failure rate ${percent(worker.failed / tried)}`,
    },
    { label: "Last heartbeat", value: <Age at={worker.last_heartbeat} suffix=" ago" /> },
  ];
}

interface OfWorker {
  slug: string;
  worker: WorkerDetail;
}

const tasksShown = 20;

/** The worker's running tasks. */
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
              ? `Reports ${plural(worker.active_tasks, "running task")}, but no matching task events have arrived.`
              : worker.state === "offline"
                ? "No running tasks"
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
  if (worker.queues.length === 0) return null;
  return (
    <PanelFrame title="Queues">
      <div className={css.queues}>
        {worker.queues.map((name) => (
          <AppLink key={name} href={paths.queue(slug, worker.engine, name)}>
            {nameText(name)}
          </AppLink>
        ))}
      </div>
    </PanelFrame>
  );
}

function AboutWorker({ worker }: { worker: WorkerDetail }) {
  const facts: [string, React.ReactNode][] = [["Engine", printable(worker.engine)]];
  if (worker.hostname) facts.push(["Host", printable(worker.hostname)]);
  if (worker.pid) facts.push(["Process", `pid ${worker.pid}`]);
  facts.push(["First seen", <Stamp key="first" at={worker.created_at} />]);
  if (worker.state_reported_at) facts.push(["State reported", <Stamp key="state" at={worker.state_reported_at} />]);
  facts.push([
    "Worker id",
    <span key="id" className="mono">
      {worker.id}
    </span>,
  ]);
  return <About facts={facts} />;
}

function Reported({ worker }: { worker: WorkerDetail }) {
  const reported = Object.entries(worker.metadata).filter(
    ([, value]) => value !== null && value !== undefined && !isEmpty(value),
  );
  if (reported.length === 0) return null;
  return (
    <PanelFrame title="Reported details">
      <div className={css.reported}>
        {reported.map(([name, value]) => (
          <details key={name}>
            <summary>{printable(name)}</summary>
            {/* Focusable because it scrolls. */}
            <pre tabIndex={0} role="region" aria-label={`Reported details: ${printable(name)}`}>
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
