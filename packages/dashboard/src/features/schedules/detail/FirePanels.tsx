import type { Fire, ScheduleDetail } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { lazy, useState } from "react";
import { useTimedMs } from "../../../live/live.ts";
import { TableToggle } from "../../../ui/charts/TableToggle.tsx";
import { NoteLine } from "../../../ui/panels/Lines.tsx";
import { Panel, PanelEmpty, type PanelRead } from "../../../ui/panels/Panel.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { WindowTable } from "../../../ui/tables/WindowTable.tsx";
import { count, printable } from "../../../ui/time/format.ts";
import { useZone } from "../../../ui/time/instants.ts";
import { Age } from "../../../ui/time/Stamp.tsx";
import { fireStyle } from "../fires/fire-status.ts";
import { HeatCalendar } from "../fires/HeatCalendar.tsx";
import { misfireColumns, misfireKey } from "../misfires/misfire-columns.tsx";
import { calendarFires, calendarQuery, fireRows, misfireRows, ownMisfiresQuery } from "../queries.ts";
import css from "../schedules.module.css";
import { fireColumns } from "./fire-columns.tsx";

const ResolveFireDialog = lazy(() =>
  import("./ResolveFireDialog.tsx").then((part) => ({ default: part.ResolveFireDialog })),
);

interface OfSchedule {
  slug: string;
  schedule: ScheduleDetail;
}

/** The error of the newest fire, if that failed. */
export function LastError({ fires }: { fires: readonly Fire[] | undefined }) {
  const last = fires?.[0];
  if (last === undefined || fireStyle(last.status).group !== "failed") return null;
  const text = [last.error_code, last.error_message].filter(Boolean).map((part) => printable(part ?? ""));
  return (
    <NoteLine glyph="failure" aside={<Age at={last.fired_at} suffix=" ago" />}>
      Last error: {text.join(": ") || fireStyle(last.status).label}
    </NoteLine>
  );
}

/** The fires of the last 30 days, by day. */
export function CalendarPanel({ slug, schedule }: OfSchedule) {
  const { zone } = useZone();
  const [isTable, setTable] = useState(false);
  const read = useQuery({ ...calendarQuery(slug, schedule.id), refetchInterval: useTimedMs(120_000) });
  return (
    <Panel
      title="Last 30 days"
      window={`fires by day, ${zone}`}
      actions={<TableToggle name="Last 30 days" isTable={isTable} onChange={setTable} />}
      read={read}
      rows={4}
      missing={(fires) =>
        fires.length >= calendarFires ? `Only the newest ${count(calendarFires)} fires are counted.` : null
      }
    >
      {(fires) => (
        <div className={css.calendar}>
          <HeatCalendar fires={fires} isCut={fires.length >= calendarFires} zone={zone} isTable={isTable} />
        </div>
      )}
    </Panel>
  );
}

/** The newest fires, with what an operator can do about those without an outcome. */
export function FiresPanel({ slug, schedule, read }: OfSchedule & { read: PanelRead<Fire[]> }) {
  const { zone } = useZone();
  const [resolving, setResolving] = useState<Fire | null>(null);
  return (
    <>
      <Panel
        title="Fires"
        window={`newest first, ${zone}`}
        read={read}
        rows={6}
        empty={(fires) =>
          fires.length > 0 ? null : <PanelEmpty kind="none-yet">Fires appear here once the schedule runs.</PanelEmpty>
        }
      >
        {(fires) => (
          <WindowTable
            label="Fires"
            size="dense"
            rowPx={28}
            rows={fires}
            rowKey={({ id }) => id}
            columns={fireColumns(slug, schedule, setResolving)}
          >
            {fires.length >= fireRows ? <p className={panel.foot}>The newest {count(fireRows)} fires.</p> : null}
          </WindowTable>
        )}
      </Panel>
      {resolving ? (
        <ResolveFireDialog slug={slug} schedule={schedule} fire={resolving} onClose={() => setResolving(null)} />
      ) : null}
    </>
  );
}

/** The misfires of one schedule. */
export function OwnMisfires({ slug, schedule }: OfSchedule) {
  const read = useQuery({ ...ownMisfiresQuery(slug, schedule.id), refetchInterval: useTimedMs(60_000) });
  return (
    <Panel
      title="Misfires"
      window="newest first"
      read={read}
      rows={2}
      empty={(rows) =>
        rows.length > 0 ? null : <PanelEmpty kind="none-yet">No slot was missed, and no limit was exceeded.</PanelEmpty>
      }
    >
      {(rows) => (
        <WindowTable
          label="Misfires"
          size="dense"
          rowPx={28}
          rows={rows}
          rowKey={misfireKey}
          columns={misfireColumns()}
        >
          {rows.length >= misfireRows ? <p className={panel.foot}>The newest {count(misfireRows)} misfires.</p> : null}
        </WindowTable>
      )}
    </Panel>
  );
}
