import type { Schedule } from "@svc/client";
import { paths } from "../../address/paths.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { Button } from "../../ui/buttons/Button.tsx";
import panel from "../../ui/panels/panel.module.css";
import type { Column } from "../../ui/tables/columns.tsx";
import { menuColumn } from "../../ui/tables/menu-column.tsx";
import { count, duration, nameText, printable } from "../../ui/time/format.ts";
import { Age } from "../../ui/time/Stamp.tsx";
import { ActionEntry, ask, useWhyNot } from "../actions/index.ts";
import {
  deleteSchedule,
  disableSchedule,
  enableSchedule,
  pauseSchedule,
  resumeSchedule,
  runNow,
} from "./acts/schedule-actions.tsx";
import { BreakerMeter } from "./BreakerMeter.tsx";
import { Countdown, RunTime } from "./Countdown.tsx";
import { FireStrip } from "./fires/FireStrip.tsx";
import { cellPx, p95Of, type StripFire, stripCells } from "./fires/strip-cells.ts";
import { isOwn, type ScheduleState } from "./schedule-state.ts";
import css from "./schedules.module.css";

export interface ShownSchedule {
  key: string;
  schedule: Schedule;
  state: ScheduleState;
  /** Undefined until loaded. */
  fires: readonly StripFire[] | undefined;
  missedSlots: readonly string[];
}

const phoneCells = 12;

export const noReports = "This scheduler doesn't report fires";

export const scheduleColumns = (slug: string, threshold: number): readonly Column<ShownSchedule>[] => [
  {
    header: "Enabled",
    isHeaderHidden: true,
    width: "4rem",
    phoneWidth: "4rem",
    cell: ({ schedule }) => <EnabledSwitch slug={slug} schedule={schedule} />,
  },
  {
    header: "Schedule",
    cellClass: panel.named,
    cell: ({ schedule }) => (
      <AppLink href={paths.schedule(slug, schedule.id)}>
        <b>{nameText(schedule.name)}</b>
      </AppLink>
    ),
    small: ({ schedule, fires, missedSlots }) => (
      <>
        <span className="lg">{printable(schedule.engine)}</span>
        {/* Phones have no columns for these. */}
        <span className="sm">{printable(schedule.description ?? schedule.expression)}</span>
        {fires === undefined || fires.length + missedSlots.length === 0 ? null : (
          <span className={`${css.below} sm`}>
            <FireStrip cells={stripCells(fires, missedSlots, phoneCells)} width={phoneCells * cellPx} />
          </span>
        )}
      </>
    ),
  },
  {
    header: "Expression",
    className: "lg",
    cellClass: css.expression,
    width: "14rem",
    title: ({ schedule }) => schedule.description ?? undefined,
    cell: ({ schedule }) => <code>{printable(schedule.expression)}</code>,
    small: ({ schedule }) => printable(schedule.description ?? schedule.kind),
  },
  {
    header: "Next run",
    width: "9.5rem",
    phoneWidth: "7.5rem",
    cell: ({ schedule, state }) => <Next schedule={schedule} state={state} />,
    small: ({ schedule, state }) => <NextDetail schedule={schedule} state={state} />,
  },
  {
    header: "Last 20 fires",
    className: "lg",
    width: "14rem",
    cell: ({ schedule, fires, missedSlots }) =>
      isOwn(schedule) ? (
        fires === undefined ? null : (
          <FireStrip cells={stripCells(fires, missedSlots)} />
        )
      ) : (
        <span className="t3">{noReports}</span>
      ),
  },
  {
    header: "p95",
    className: "num lg",
    cellClass: "t2",
    width: "5.5rem",
    title: () => "95 of 100 of the last 20 fires had their result within this time",
    cell: ({ fires }) => {
      const p95 = fires && p95Of(fires);
      return p95 === null || p95 === undefined ? "–" : duration(p95);
    },
  },
  {
    header: "Failed in a row",
    className: "lg",
    width: "8rem",
    cell: ({ schedule }) =>
      isOwn(schedule) ? (
        <BreakerMeter failures={schedule.consecutive_failures} threshold={threshold} />
      ) : (
        <span className="t3">–</span>
      ),
  },
  {
    header: "Missed, 24 h",
    className: "num lg",
    width: "6rem",
    cell: ({ schedule: { skipped_slots_24h: missed } }) => (missed > 0 ? count(missed) : <span className="t3">0</span>),
  },
  {
    header: "Source",
    className: "lg",
    cellClass: "t2",
    width: "7rem",
    cell: ({ schedule }) => printable(isOwn(schedule) ? schedule.source : schedule.scheduler),
  },
  {
    ...menuColumn<ShownSchedule>(
      ({ schedule }) => nameText(schedule.name),
      ({ schedule }) => (
        <>
          <ActionEntry slug={slug} action={runNow} subject={schedule} />
          <ActionEntry slug={slug} action={schedule.paused_at ? resumeSchedule : pauseSchedule} subject={schedule} />
          <ActionEntry slug={slug} action={deleteSchedule} subject={schedule} />
        </>
      ),
    ),
    width: "3.5rem",
  },
];

function EnabledSwitch({ slug, schedule }: { slug: string; schedule: Schedule }) {
  const action = schedule.is_enabled ? disableSchedule : enableSchedule;
  const reason = useWhyNot(slug, action, schedule);
  return (
    <Button
      variant="icon"
      className={css.switch}
      role="switch"
      aria-checked={schedule.is_enabled}
      aria-label={`${nameText(schedule.name)} enabled`}
      disabledReason={reason}
      onClick={() => ask(action, schedule)}
    >
      <i />
    </Button>
  );
}

interface NextProps {
  schedule: Schedule;
  state: ScheduleState;
}

function Next({ schedule, state }: NextProps) {
  if (state === "tripped" || state === "quarantined") {
    return <span className={panel.wrong}>{state === "tripped" ? "stopped" : "quarantined"}</span>;
  }
  if (state !== "on") return <span className="t2">{state}</span>;
  return schedule.next_run_at ? <Countdown at={schedule.next_run_at} /> : <span className="t3">no further run</span>;
}

function NextDetail({ schedule, state }: NextProps) {
  switch (state) {
    case "tripped":
      return `${schedule.consecutive_failures} failures in a row`;
    case "quarantined":
      return printable(schedule.quarantine_code ?? "");
    case "paused":
      return <Age at={schedule.paused_at} suffix=" ago" />;
    case "on":
      return schedule.next_run_at ? <RunTime at={schedule.next_run_at} /> : null;
    default:
      return null;
  }
}
