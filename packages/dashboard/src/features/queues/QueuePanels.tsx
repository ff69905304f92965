import { plural, type Queue, type TaskState } from "@svc/client";
import { fieldTerm } from "@svc/client/task-query";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { paths } from "../../address/paths.ts";
import { rangeParams } from "../../address/range-bounds.ts";
import { useTimeRange } from "../../address/time-range.ts";
import { api } from "../../api/api.ts";
import { useTimedMs } from "../../live/live.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { Panel, PanelEmpty } from "../../ui/panels/Panel.tsx";
import { FleetPill, StatePill } from "../../ui/StatePill.tsx";
import { DataTable } from "../../ui/tables/DataTable.tsx";
import { WindowTable } from "../../ui/tables/WindowTable.tsx";
import { count, nameText } from "../../ui/time/format.ts";
import { PoolBar, workersInOrder, workersQuery } from "../workers/index.ts";

interface OfQueue {
  slug: string;
  queue: Queue;
}

/** The queue's tasks by state, each linked to the task list. */
export function QueueStates({ slug, queue }: OfQueue) {
  const range = useTimeRange();
  const within = rangeParams(range);
  // Another engine may have a queue of the same name.
  const which = { queue: queue.name, q: fieldTerm("engine", queue.engine) };
  const states = useQuery({
    queryKey: ["queue-states", slug, which, within],
    queryFn: ({ signal }) => api.getFacet(slug, { field: "state", ...which, ...within }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: useTimedMs(30_000),
    meta: { live: { project: slug } },
  });
  return (
    <Panel
      title="Tasks by state"
      window={`received, ${range.label}`}
      read={states}
      rows={4}
      empty={({ values }) =>
        values.length > 0 ? null : (
          <PanelEmpty kind="no-match">No tasks of this queue were received in this time range.</PanelEmpty>
        )
      }
    >
      {({ values }) => (
        <DataTable
          size="dense"
          rows={values}
          rowKey={({ value }) => value}
          columns={[
            { header: "State", cell: ({ value }) => <StatePill state={value as TaskState} bare /> },
            {
              header: "Tasks",
              className: "num",
              cell: ({ value, count: tasks, exact }) => (
                <AppLink
                  href={paths.tasks(slug, {
                    ...which,
                    state: value as TaskState,
                    since: range.since ?? "",
                    until: range.until,
                  })}
                  aria-label={`${exact ? plural(tasks, "task") : `${count(tasks)} or more tasks`} in state ${value}`}
                >
                  {count(tasks)}
                  {exact ? "" : "+"}
                </AppLink>
              ),
            },
          ]}
        />
      )}
    </Panel>
  );
}

/** Workers that reported serving the queue. */
export function QueueWorkers({ slug, queue }: OfQueue) {
  const workers = useQuery({ ...workersQuery(slug), refetchInterval: useTimedMs(15_000) });
  return (
    <Panel
      title="Workers"
      window="as last reported"
      read={workers}
      rows={3}
      missing={({ items, next_cursor }) =>
        next_cursor ? `Only the first ${count(items.length)} workers of the project were checked.` : null
      }
      empty={({ items }) =>
        items.some((worker) => serves(worker, queue)) ? null : (
          <PanelEmpty kind="none-yet">
            No worker has reported serving this queue. Some engines don't report this.
          </PanelEmpty>
        )
      }
    >
      {({ items }) => (
        <WindowTable
          label="Workers"
          size="dense"
          rowPx={28}
          rows={workersInOrder(items.filter((worker) => serves(worker, queue)))}
          rowKey={({ id }) => id}
          columns={[
            { header: "State", cell: ({ state }) => <FleetPill state={state} bare /> },
            {
              header: "Worker",
              cell: ({ id, name }) => <AppLink href={paths.worker(slug, id)}>{nameText(name)}</AppLink>,
            },
            { header: "Running", className: "num", cell: (worker) => <PoolBar worker={worker} /> },
            { header: "Failed, 24 h", className: "num", cell: ({ failed }) => count(failed) },
          ]}
        />
      )}
    </Panel>
  );
}

const serves = (worker: { engine: string; queues: readonly string[] }, queue: Queue): boolean =>
  worker.engine === queue.engine && worker.queues.includes(queue.name);
