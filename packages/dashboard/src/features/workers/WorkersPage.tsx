import type { Worker } from "@svc/client";
import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useHub, usePollMs } from "../../live/live.ts";
import { paths } from "../../paths.ts";
import { stringifySearch } from "../../search-text.ts";
import { AppLink } from "../../ui/AppLink.tsx";
import { Empty } from "../../ui/Feedback.tsx";
import { bytes, count, printable } from "../../ui/format.ts";
import panel from "../../ui/panel.module.css";
import { ScrollBox } from "../../ui/ScrollBox.tsx";
import { Age } from "../../ui/Stamp.tsx";
import { FleetPill } from "../../ui/StatePill.tsx";
import { usePage } from "../../ui/title.ts";
import { applyRows } from "../agents/queries.ts";
import { queuesText, workersInOrder } from "./order.ts";
import { workersQuery } from "./queries.ts";

export function WorkersPage() {
  const { slug } = useParams({ from: "/signed-in/p/$slug/workers" });
  usePage([{ label: slug, href: paths.tasks(slug) }, { label: "Workers" }]);
  const client = useQueryClient();
  const pollMs = usePollMs();
  const { data } = useSuspenseQuery({ ...workersQuery(slug), refetchInterval: pollMs });
  useHub("worker.changed", (event) => {
    const key = workersQuery(slug).queryKey;
    if (event.refetch) void client.invalidateQueries({ queryKey: key });
    else client.setQueryData(key, (old) => old && { ...old, items: applyRows(old.items, event) });
  });
  const workers = workersInOrder(data.items);

  return (
    <>
      <div className={panel.head}>
        <h1>Workers</h1>
        <span className="t3">counters cover the last 24 h</span>
      </div>
      {workers.length === 0 ? (
        <Empty title="No worker seen yet">
          <p>Workers appear by themselves when an agent sees one take a task.</p>
        </Empty>
      ) : (
        <ScrollBox label="Workers">
          <table className={`${panel.tbl} ${panel.wide}`}>
            <thead>
              <tr>
                <th>State</th>
                <th>Worker</th>
                <th className="lg">Queues</th>
                <th className="num">Busy</th>
                <th className="num lg">Memory</th>
                <th className="num lg">Processed</th>
                <th className="num">Failed</th>
                <th className="num lg">Heartbeat</th>
              </tr>
            </thead>
            <tbody>
              {workers.map((worker) => (
                <WorkerRow key={worker.id} slug={slug} worker={worker} />
              ))}
            </tbody>
          </table>
          {data.next_cursor ? <p className={panel.foot}>Only the first {workers.length} workers are listed.</p> : null}
        </ScrollBox>
      )}
    </>
  );
}

function WorkerRow({ slug, worker }: { slug: string; worker: Worker }) {
  return (
    <tr>
      <td>
        <FleetPill state={worker.state} />
      </td>
      <td className={panel.two}>
        <AppLink href={paths.tasks(slug) + stringifySearch({ worker: worker.name })}>
          <b>{printable(worker.name)}</b>
        </AppLink>
        <small>
          {printable(worker.engine)}
          {worker.pid ? `, pid ${worker.pid}` : ""}
        </small>
      </td>
      <td className="lg t2">{queuesText(worker)}</td>
      <td className="num">
        {count(worker.active_tasks)}
        {worker.concurrency ? <span className="t3"> of {worker.concurrency}</span> : null}
      </td>
      <td className="num lg t2">{worker.memory_bytes ? bytes(worker.memory_bytes) : "–"}</td>
      <td className="num lg">{count(worker.processed)}</td>
      <td className="num">{count(worker.failed)}</td>
      <td className="num lg t2">
        <Age at={worker.last_heartbeat} suffix=" ago" />
      </td>
    </tr>
  );
}
