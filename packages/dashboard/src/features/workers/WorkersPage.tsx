import type { Worker } from "@svc/client";
import { fieldTerm } from "@svc/client/task-query";
import { useParams } from "@tanstack/react-router";
import { matchesWords, useListFilter } from "../../address/list-filter.ts";
import { paths } from "../../address/paths.ts";
import { type PageLoader, readPageAhead } from "../../api/read-ahead.ts";
import { rowPagesQuery, useRowPages } from "../../live/use-row-pages.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { Button } from "../../ui/buttons/Button.tsx";
import { FilterBox } from "../../ui/forms/FilterBox.tsx";
import { labels } from "../../ui/labels.ts";
import { Empty } from "../../ui/panels/Lines.tsx";
import panel from "../../ui/panels/panel.module.css";
import { StaleLine } from "../../ui/panels/QueryBoundary.tsx";
import { FleetPill } from "../../ui/StatePill.tsx";
import type { Column } from "../../ui/tables/columns.tsx";
import { useSteadyOrder } from "../../ui/tables/steady-order.ts";
import { WindowTable } from "../../ui/tables/WindowTable.tsx";
import { bytes, count, nameText, printable } from "../../ui/time/format.ts";
import { Age } from "../../ui/time/Stamp.tsx";
import { useNow } from "../../ui/time/ticker.ts";
import { usePage } from "../../ui/title.ts";
import { PoolBar } from "./PoolBar.tsx";
import { workerPages } from "./queries.ts";
import { byWorkerTrouble, loadText, queuesText, reportedOf, stateReason, workerTrouble } from "./worker-states.ts";

export const loader: PageLoader<{ slug: string }> = ({ params: { slug } }) =>
  readPageAhead(rowPagesQuery(workerPages(slug)));

export function WorkersPage() {
  const { slug } = useParams({ from: "/signed-in/p/$slug/workers" });
  usePage([[slug, paths.project(slug)], ["Workers"]]);
  const now = useNow();
  const [filter, setFilter] = useListFilter();
  const list = useRowPages(workerPages(slug));
  const all = list.rows.map((worker) => ({ key: worker.id, worker, trouble: workerTrouble(worker, now) }));
  const matching = all.filter(({ worker }) =>
    matchesWords(filter, [worker.name, worker.engine, worker.hostname, worker.state, ...worker.queues]),
  );
  const { rows, hold } = useSteadyOrder(byWorkerTrouble(matching));
  const online = all.filter(({ worker }) => worker.state === "online").length;

  return (
    <>
      <div className={panel.head}>
        <h1>Workers</h1>
        <span className="t3 grow">
          {rows.length === all.length ? "" : `${count(rows.length)} shown, `}
          {count(online)} of {count(all.length)} {list.hasMore ? "loaded workers online" : "online"}. Finished and
          failed cover the last 24 h.
        </span>
        {all.length > 0 ? <FilterBox label="Filter workers" value={filter} onChange={setFilter} /> : null}
      </div>
      <StaleLine name="Workers" read={list} />
      {all.length === 0 ? (
        <Empty title="No workers yet">
          <p>Workers appear automatically when an agent reports them.</p>
        </Empty>
      ) : rows.length === 0 ? (
        <Empty title="No workers match" chips={<Button onClick={() => setFilter("")}>Clear filter</Button>}>
          <p>No worker has this text in its name, engine, host, state or queues.</p>
        </Empty>
      ) : (
        <WindowTable
          label="Workers"
          size="wide"
          on={hold}
          rows={rows}
          rowKey={({ key }) => key}
          isOpenEnded={list.hasMore}
          rowPx={45}
          rowProps={({ trouble }) => (trouble === "offline" ? { className: panel.alarm } : {})}
          columns={columnsOf(slug, now, reportedOf(list.rows))}
        >
          {list.hasMore ? (
            <p className={panel.foot}>
              The first {count(all.length)} workers by engine and name are loaded.{" "}
              <Button variant="link" onClick={list.readMore}>
                Load more
              </Button>
            </p>
          ) : null}
        </WindowTable>
      )}
    </>
  );
}

interface WorkerRow {
  worker: Worker;
  trouble: ReturnType<typeof workerTrouble>;
}

const queuesColumn: Column<WorkerRow> = {
  header: "Queues",
  className: `lg ${panel.apart}`,
  cellClass: "t2",
  width: "9rem",
  cell: ({ worker }) => queuesText(worker),
};
const loadColumn: Column<WorkerRow> = {
  header: "Load",
  className: "num lg",
  cellClass: "t2",
  width: "7rem",
  cell: ({ worker }) => loadText(worker.load_average) ?? "–",
};
const memoryColumn: Column<WorkerRow> = {
  header: "Memory",
  className: "num lg",
  cellClass: "t2",
  width: "5.75rem",
  cell: ({ worker }) => (worker.memory_bytes ? bytes(worker.memory_bytes) : "–"),
};

const columnsOf = (
  slug: string,
  now: number,
  reported: ReturnType<typeof reportedOf>,
): readonly Column<WorkerRow>[] => [
  {
    header: "State",
    width: "12rem",
    phoneWidth: "7.25rem",
    cell: ({ worker, trouble }) => (
      <span className={panel.state}>
        <FleetPill state={worker.state} />
        {worker.state === "online" && trouble !== "full" ? null : (
          <small>{trouble === "full" ? "at capacity" : stateReason(worker, now)}</small>
        )}
      </span>
    ),
  },
  {
    header: "Worker",
    cell: ({ worker }) => (
      <AppLink href={paths.worker(slug, worker.id)}>
        <b>{nameText(worker.name)}</b>
      </AppLink>
    ),
    small: ({ worker }) => (
      <>
        {printable(worker.engine)}
        <span className="lg">{whereText(worker)}</span>
      </>
    ),
  },
  {
    header: reported.concurrency ? "Running / max" : "Running",
    className: "num",
    width: "7rem",
    phoneWidth: "5rem",
    cell: ({ worker }) => <PoolBar worker={worker} />,
  },
  ...(reported.queues ? [queuesColumn] : []),
  ...(reported.load ? [loadColumn] : []),
  ...(reported.memory ? [memoryColumn] : []),
  {
    header: `${labels.finished}, 24 h`,
    className: "num lg",
    width: "6.75rem",
    cell: ({ worker }) => count(worker.processed),
  },
  {
    header: `${labels.failed}, 24 h`,
    className: "num",
    width: "6.25rem",
    phoneWidth: "4.5rem",
    cell: ({ worker: { name, engine, failed } }) =>
      failed === 0 ? (
        <span className="t3">0</span>
      ) : (
        <AppLink
          href={paths.tasks(slug, { worker: name, q: fieldTerm("engine", engine), state: "failure", since: "-24h" })}
          aria-label={`${count(failed)} failed on ${printable(name)}`}
        >
          {count(failed)}
        </AppLink>
      ),
  },
  {
    header: "Last heartbeat",
    className: "num lg",
    cellClass: "t2",
    width: "7.75rem",
    cell: ({ worker }) => <Age at={worker.last_heartbeat} suffix=" ago" />,
  },
];

function whereText({ hostname, pid }: Worker): string {
  return `${hostname ? `, ${printable(hostname)}` : ""}${pid ? `, pid ${pid}` : ""}`;
}
