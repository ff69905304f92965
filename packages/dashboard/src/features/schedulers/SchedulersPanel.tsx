import type { Scheduler } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useTimedMs } from "../../live/live.ts";
import { Panel, PanelEmpty } from "../../ui/panels/Panel.tsx";
import panel from "../../ui/panels/panel.module.css";
import { Pill, type PillStyle } from "../../ui/StatePill.tsx";
import type { Column } from "../../ui/tables/columns.tsx";
import { DataTable } from "../../ui/tables/DataTable.tsx";
import { count, printable } from "../../ui/time/format.ts";
import { useMe } from "../sessions/index.ts";
import { lagText, type SchedulerState, schedulerName, schedulerState } from "./labels.ts";
import { schedulersQuery } from "./queries.ts";

const everyMs = 15_000;

/** The schedulers of this service, for instance administrators; nothing for other users, so that no request is refused. */
export function SchedulersPanel() {
  const { is_admin: isAdmin } = useMe();
  if (!isAdmin) return null;
  return (
    <div className={panel.page}>
      <Schedulers />
    </div>
  );
}

function Schedulers() {
  const read = useQuery({ ...schedulersQuery, refetchInterval: useTimedMs(everyMs) });
  return (
    <Panel
      title="Schedulers"
      window="all projects, now"
      read={read}
      rows={1}
      empty={({ total }) =>
        total === 0 ? (
          <PanelEmpty kind="none-yet">
            This service knows no scheduler. Set SVC_EMBEDDED_SCHEDULER, or list the addresses of schedulers in
            SVC_SCHEDULER_INFO_URLS.
          </PanelEmpty>
        ) : null
      }
    >
      {({ schedulers }) => (
        <DataTable
          label="Known schedulers"
          rows={schedulers}
          rowKey={({ url }) => url}
          rowProps={(scheduler) => (schedulerState(scheduler) === "failed" ? { className: panel.alarm } : {})}
          columns={columns}
        />
      )}
    </Panel>
  );
}

const columns: readonly Column<Scheduler>[] = [
  {
    header: "State",
    cell: (scheduler) => <StatePill state={schedulerState(scheduler)} />,
    small: ({ error }) => (error === null ? null : printable(error)),
  },
  {
    header: "Scheduler",
    isRowHeader: true,
    cell: schedulerName,
    small: ({ info, url }) => (info === null ? null : printable(url)),
  },
  {
    header: "Leader",
    cellClass: "t2",
    cell: ({ info }) => (info === null ? "unknown" : info.leader ? "yes" : "no"),
  },
  { header: "Lag", className: "num", cell: lagText },
  { header: "Schedules", className: "num lg", cell: ({ info }) => (info === null ? "–" : count(info.schedules)) },
  {
    header: "Changes",
    className: "lg",
    cellClass: "t2",
    cell: ({ info }) => (info === null ? "unknown" : info.watch_healthy ? "received" : "not received"),
  },
  {
    header: "Version",
    className: "lg",
    cellClass: "t2",
    cell: ({ info }) => (info === null ? "unknown" : printable(info.version)),
  },
];

const styles: Readonly<Record<SchedulerState, PillStyle>> = {
  firing: { tone: "success", glyph: "success" },
  standby: { tone: "unknown", glyph: "half" },
  late: { tone: "retry", glyph: "half" },
  failed: { tone: "failure", glyph: "failure" },
};

function StatePill({ state }: { state: SchedulerState }) {
  return <Pill word={state} style={styles[state]} />;
}
