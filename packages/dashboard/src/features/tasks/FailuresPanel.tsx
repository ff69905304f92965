import { fieldTerm } from "@svc/client/task-query";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { paths } from "../../address/paths.ts";
import { rangeParams } from "../../address/range-bounds.ts";
import { useTimeRange } from "../../address/time-range.ts";
import { api } from "../../api/api.ts";
import { useTimedMs } from "../../live/live.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { Panel, PanelEmpty } from "../../ui/panels/Panel.tsx";
import { Stamp } from "../../ui/time/Stamp.tsx";
import { useGaps } from "../agents/index.ts";
import { TaskTable } from "./TaskTable.tsx";

const failuresShown = 8;

interface FailuresPanelProps {
  slug: string;
  of: "queue" | "worker";
  name: string;
  /** Another engine may have a queue or a worker of the same name. */
  engine: string;
}

/** The newest failed tasks of one queue or worker, with bands where events were lost. */
export function FailuresPanel({ slug, of, name, engine }: FailuresPanelProps) {
  const range = useTimeRange();
  const within = rangeParams(range);
  const { gaps } = useGaps(slug, within);
  const which = { [of]: name, q: fieldTerm("engine", engine), state: "failure" } as const;
  const failures = useQuery({
    queryKey: ["failures", slug, which, within],
    queryFn: ({ signal }) => api.listTasks(slug, { ...which, limit: failuresShown, ...within }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: useTimedMs(15_000),
  });
  return (
    <Panel
      title="Recent failures"
      window={range.label}
      read={failures}
      rows={4}
      actions={
        <AppLink href={paths.tasks(slug, { ...which, since: range.since ?? "", until: range.until })}>
          All failures
        </AppLink>
      }
      missing={({ partial }) =>
        partial ? (
          <>
            Searched back to <Stamp at={partial.reached} />; older tasks were not searched.
          </>
        ) : null
      }
      empty={({ items, partial }) =>
        items.length > 0 ? null : (
          <PanelEmpty kind="no-match">
            {partial ? "None found so far." : `No tasks of this ${of} failed in this time range.`}
          </PanelEmpty>
        )
      }
    >
      {({ items, next_cursor }) => (
        <TaskTable
          slug={slug}
          label="Recent failures"
          tasks={items}
          columns={[of === "queue" ? "worker" : "queue", "error"]}
          gaps={gaps}
          hasOlder={next_cursor !== null}
        />
      )}
    </Panel>
  );
}
