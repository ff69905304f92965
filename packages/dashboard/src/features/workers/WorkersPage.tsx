import type { Worker } from "@svc/client";
import { fieldTerm } from "@svc/client/task-query";
import { useParams } from "@tanstack/react-router";
import { matchesWords, useListFilter } from "../../address/list-filter.ts";
import { paths } from "../../address/paths.ts";
import { stringifySearch } from "../../address/search-text.ts";
import { useRowPages } from "../../live/use-row-pages.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { Button } from "../../ui/buttons/Button.tsx";
import controls from "../../ui/controls.module.css";
import { FilterBox } from "../../ui/forms/FilterBox.tsx";
import { Empty, FailedLine } from "../../ui/panels/Feedback.tsx";
import panel from "../../ui/panels/panel.module.css";
import { ScrollBox } from "../../ui/panels/ScrollBox.tsx";
import { FleetPill } from "../../ui/StatePill.tsx";
import { useSteadyOrder } from "../../ui/tables/steady-order.ts";
import { WindowTable } from "../../ui/tables/WindowTable.tsx";
import { bytes, count, nameText, printable } from "../../ui/time/format.ts";
import { Age } from "../../ui/time/Stamp.tsx";
import { useNow } from "../../ui/time/ticker.ts";
import { usePage } from "../../ui/title.ts";
import { PoolBar } from "./PoolBar.tsx";
import { workerPages } from "./queries.ts";
import { byWorkerTrouble, loadText, queuesText, stateReason, workerTrouble } from "./worker-states.ts";
import css from "./workers.module.css";

export function WorkersPage() {
  const { slug } = useParams({ from: "/signed-in/p/$slug/workers" });
  usePage([{ label: slug, href: paths.project(slug) }, { label: "Workers" }]);
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
          {count(online)} of {count(all.length)} online; counters cover the last 24 h
        </span>
        {all.length > 0 ? <FilterBox label="Filter workers" value={filter} onChange={setFilter} /> : null}
      </div>
      {list.error ? <FailedLine title="Workers were not renewed" error={list.error} onRetry={list.retry} /> : null}
      {all.length === 0 ? (
        <Empty title="No worker seen yet">
          <p>Workers appear by themselves when an agent sees one take a task.</p>
        </Empty>
      ) : rows.length === 0 ? (
        <Empty title="No worker matches" chips={<Button onClick={() => setFilter("")}>Clear the filter</Button>}>
          <p>None of {count(all.length)} workers has this in its name, engine, host, state or queues.</p>
        </Empty>
      ) : (
        <ScrollBox label="Workers">
          <WindowTable
            className={`${panel.tbl} ${panel.wide} ${css.list}`}
            on={hold}
            rows={rows}
            isOpenEnded={list.hasMore}
            rowPx={45}
            head={
              <>
                <th>State</th>
                <th>Worker</th>
                <th className="num">Pool in use</th>
                <th className={`lg ${panel.apart}`}>Queues</th>
                <th className="num lg">Load</th>
                <th className="num lg">Memory</th>
                <th className="num lg">Processed, 24 h</th>
                <th className="num">Failed, 24 h</th>
                <th className="num lg">Heartbeat</th>
              </>
            }
          >
            {({ worker, trouble }, place) => (
              <tr {...place} className={trouble === "fell silent" ? panel.alarm : undefined}>
                <td>
                  <span className={panel.state}>
                    <FleetPill state={worker.state} />
                    {worker.state === "online" && trouble !== "full" ? null : (
                      <small>{trouble === "full" ? "every place is taken" : stateReason(worker, now)}</small>
                    )}
                  </span>
                </td>
                <td className={panel.two}>
                  <AppLink href={paths.worker(slug, worker.id)}>
                    <b>{nameText(worker.name)}</b>
                  </AppLink>
                  <small>
                    {printable(worker.engine)}
                    <span className="lg">{whereText(worker)}</span>
                  </small>
                </td>
                <td className="num">
                  <PoolBar worker={worker} />
                </td>
                <td className={`lg t2 ${panel.apart}`}>{queuesText(worker)}</td>
                <td className="num lg t2">{loadText(worker.load_average) ?? "–"}</td>
                <td className="num lg t2">{worker.memory_bytes ? bytes(worker.memory_bytes) : "–"}</td>
                <td className="num lg">{count(worker.processed)}</td>
                <td className="num">
                  {worker.failed === 0 ? (
                    <span className="t3">0</span>
                  ) : (
                    <AppLink
                      href={
                        paths.tasks(slug) +
                        stringifySearch({
                          worker: worker.name,
                          q: fieldTerm("engine", worker.engine),
                          state: "failure",
                          since: "-24h",
                        })
                      }
                      aria-label={`${count(worker.failed)} failed on ${printable(worker.name)}`}
                    >
                      {count(worker.failed)}
                    </AppLink>
                  )}
                </td>
                <td className="num lg t2">
                  <Age at={worker.last_heartbeat} suffix=" ago" />
                </td>
              </tr>
            )}
          </WindowTable>
          {list.hasMore ? (
            <p className={panel.foot}>
              {count(all.length)} workers are read, by engine and name.{" "}
              <button type="button" className={controls.lnk} onClick={list.readMore}>
                Read more
              </button>
            </p>
          ) : null}
        </ScrollBox>
      )}
    </>
  );
}

function whereText({ hostname, pid }: Worker): string {
  return `${hostname ? `, ${printable(hostname)}` : ""}${pid ? `, pid ${pid}` : ""}`;
}
