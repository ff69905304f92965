import type { Queue, TaskState } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { useTimedMs } from "../../live/live.ts";
import { paths } from "../../paths.ts";
import { rangeParams } from "../../range-text.ts";
import { stringifySearch } from "../../search-text.ts";
import { useTimeRange } from "../../time-range.ts";
import { AppLink } from "../../ui/AppLink.tsx";
import { count, nameText } from "../../ui/format.ts";
import { Panel, PanelEmpty } from "../../ui/Panel.tsx";
import panel from "../../ui/panel.module.css";
import { ScrollBox } from "../../ui/ScrollBox.tsx";
import { FleetPill, StatePill } from "../../ui/StatePill.tsx";
import { useGaps } from "../agents/use-gaps.ts";
import { TaskTable } from "../tasks/TaskTable.tsx";
import { PoolBar } from "../workers/PoolBar.tsx";
import { workersQuery } from "../workers/queries.ts";
import { workersInOrder } from "../workers/worker-states.ts";

interface OfQueue {
  slug: string;
  queue: Queue;
}

/** Present tasks of the queue by state; each leads to the list. */
export function QueueStates({ slug, queue }: OfQueue) {
  const range = useTimeRange();
  const within = rangeParams(range);
  const states = useQuery({
    queryKey: ["queue-states", slug, queue.name, within],
    queryFn: ({ signal }) => api.getFacet(slug, { field: "state", queue: queue.name, ...within }, { signal }),
    placeholderData: (old) => old,
    refetchInterval: useTimedMs(30_000),
  });
  return (
    <Panel
      title="Tasks by state"
      window={`received, ${range.label}`}
      read={states}
      rows={4}
      empty={({ values }) =>
        values.length > 0 ? null : (
          <PanelEmpty kind="no-match">
            <p>No task of this queue was received in the {range.label}.</p>
          </PanelEmpty>
        )
      }
    >
      {({ values }) => (
        <table className={`${panel.tbl} ${panel.dense}`}>
          <thead>
            <tr>
              <th>State</th>
              <th className="num">Tasks</th>
            </tr>
          </thead>
          <tbody>
            {values.map(({ value, count: tasks, exact }) => (
              <tr key={value}>
                <td>
                  <StatePill state={value as TaskState} bare />
                </td>
                <td className="num">
                  <AppLink
                    href={
                      paths.tasks(slug) +
                      stringifySearch({ queue: queue.name, state: value, since: range.since ?? "", until: range.until })
                    }
                    aria-label={`${count(tasks)} tasks in state ${value}`}
                  >
                    {count(tasks)}
                    {exact ? "" : "+"}
                  </AppLink>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

const failuresShown = 8;

/** The newest failed tasks of the queue, with bands where events were lost. */
export function QueueFailures({ slug, queue }: OfQueue) {
  const range = useTimeRange();
  const within = rangeParams(range);
  const { gaps } = useGaps(slug, within);
  const failures = useQuery({
    queryKey: ["queue-failures", slug, queue.engine, queue.name, within],
    queryFn: ({ signal }) =>
      api.listTasks(slug, { queue: queue.name, state: "failure", limit: failuresShown, ...within }, { signal }),
    placeholderData: (old) => old,
    refetchInterval: useTimedMs(15_000),
  });
  return (
    <Panel
      title="Recent failures"
      window={range.label}
      read={failures}
      rows={4}
      actions={
        <AppLink
          href={
            paths.tasks(slug) +
            stringifySearch({ queue: queue.name, state: "failure", since: range.since ?? "", until: range.until })
          }
        >
          All failures
        </AppLink>
      }
      empty={({ items }) =>
        items.some((task) => task.engine === queue.engine) ? null : (
          <PanelEmpty kind="no-match">
            <p>No task of this queue failed in the {range.label}.</p>
          </PanelEmpty>
        )
      }
    >
      {({ items, next_cursor }) => (
        <TaskTable
          slug={slug}
          label="Recent failures"
          // The filter knows names of queues; another engine may have one of the same name.
          tasks={items.filter((task) => task.engine === queue.engine)}
          columns={["worker", "error"]}
          gaps={gaps}
          hasOlder={next_cursor !== null}
        />
      )}
    </Panel>
  );
}

/** Workers that said they serve the queue. */
export function QueueWorkers({ slug, queue }: OfQueue) {
  const workers = useQuery({ ...workersQuery(slug), refetchInterval: useTimedMs(15_000) });
  return (
    <Panel
      title="Workers that serve it"
      window="as they last reported"
      read={workers}
      rows={3}
      missing={({ next_cursor }) => (next_cursor ? "Only the first 500 workers of the project are looked at." : null)}
      empty={({ items }) =>
        items.some((worker) => serves(worker, queue)) ? null : (
          <PanelEmpty kind="none-yet">
            <p>No worker has said that it serves this queue. Some engines do not tell.</p>
          </PanelEmpty>
        )
      }
    >
      {({ items }) => (
        <ScrollBox label="Workers that serve it">
          <table className={`${panel.tbl} ${panel.dense}`}>
            <thead>
              <tr>
                <th>State</th>
                <th>Worker</th>
                <th className="num">Pool</th>
                <th className="num">Failed, 24 h</th>
              </tr>
            </thead>
            <tbody>
              {workersInOrder(items.filter((worker) => serves(worker, queue))).map((worker) => (
                <tr key={worker.id}>
                  <td>
                    <FleetPill state={worker.state} bare />
                  </td>
                  <td>
                    <AppLink href={paths.worker(slug, worker.id)}>{nameText(worker.name)}</AppLink>
                  </td>
                  <td className="num">
                    <PoolBar worker={worker} />
                  </td>
                  <td className="num">{count(worker.failed)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </Panel>
  );
}

const serves = (worker: { engine: string; queues: readonly string[] }, queue: Queue): boolean =>
  worker.engine === queue.engine && worker.queues.includes(queue.name);
