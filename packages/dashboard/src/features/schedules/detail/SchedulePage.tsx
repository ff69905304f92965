import { type ExternalControlOperation, plural, type ScheduleDetail } from "@svc/client";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { paths } from "../../../address/paths.ts";
import { type PageLoader, readAhead } from "../../../api/read-ahead.ts";
import { usePollMs, useTimedMs } from "../../../live/live.ts";
import { AppLink, useGo } from "../../../ui/buttons/AppLink.tsx";
import { Button } from "../../../ui/buttons/Button.tsx";
import controls from "../../../ui/controls.module.css";
import { type FactOf, Facts } from "../../../ui/panels/Facts.tsx";
import { NoteLine } from "../../../ui/panels/Lines.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { StaleLine } from "../../../ui/panels/QueryBoundary.tsx";
import { Pill } from "../../../ui/StatePill.tsx";
import { count, duration, nameText, printable } from "../../../ui/time/format.ts";
import { Age } from "../../../ui/time/Stamp.tsx";
import { usePage } from "../../../ui/title.ts";
import { ActionButton } from "../../actions/index.ts";
import { useMayNot } from "../../projects/index.ts";
import {
  clearQuarantine,
  deleteSchedule,
  disableSchedule,
  enableSchedule,
  pauseSchedule,
  resumeSchedule,
  resyncSchedules,
  runNow,
} from "../acts/schedule-actions.tsx";
import { BreakerMeter } from "../BreakerMeter.tsx";
import { Countdown, RunTime } from "../Countdown.tsx";
import { fireStyle } from "../fires/fire-status.ts";
import { p95Of } from "../fires/strip-cells.ts";
import { firesQuery, runsQuery, scheduleQuery } from "../queries.ts";
import { isOwn, stateOf } from "../schedule-state.ts";
import { stateStyles, stateWords } from "../state-words.ts";
import { DefinitionPanel } from "./DefinitionPanel.tsx";
import { CalendarPanel, FiresPanel, LastError, OwnMisfires } from "./FirePanels.tsx";
import { NextRunsPanel } from "./NextRunsPanel.tsx";

export const loader: PageLoader<{ slug: string; scheduleId: string }> = ({ params: { slug, scheduleId } }) =>
  Promise.all([readAhead(scheduleQuery(slug, scheduleId)), readAhead(firesQuery(slug, scheduleId))]);

/** Between two reads while an outcome is awaited. */
const pendingMs = 5_000;

/** One schedule: its next runs, what it fired, and its definition. */
export function SchedulePage() {
  const { slug, scheduleId } = useParams({ from: "/signed-in/p/$slug/schedules/$scheduleId" });
  const pollMs = usePollMs();
  const read = useSuspenseQuery({
    ...scheduleQuery(slug, scheduleId),
    // No change event reports that an operation failed.
    refetchInterval: ({ state: { data } }) => (data?.pending_operation ? pendingMs : pollMs),
  });
  const schedule = read.data;
  const own = isOwn(schedule);
  const timedMs = useTimedMs(30_000);
  // The number of failures that disable a schedule is part of this response alone.
  const runs = useQuery({ ...runsQuery(slug, [schedule.id]), enabled: own });
  const threshold = runs.data?.circuit_breaker_threshold;
  const fires = useQuery({
    ...firesQuery(slug, scheduleId),
    enabled: own,
    // No change event reports how a fire ended.
    refetchInterval: ({ state: { data } }) =>
      data?.some(({ status }) => fireStyle(status).group === "in flight") ? pendingMs : timedMs,
  });
  const state = stateOf(schedule, threshold ?? 0);
  const go = useGo();
  const mayNotChange = useMayNot(slug, "admin");
  usePage([[slug, paths.project(slug)], ["Schedules", paths.schedules(slug)], [nameText(schedule.name)]]);

  return (
    <>
      <div className={panel.head}>
        <Pill word={stateWords[state]} style={stateStyles[state]} />
        <h1 className="cut">{nameText(schedule.name)}</h1>
        <span className={controls.tag}>{printable(schedule.engine)}</span>
        <span className="grow" />
        <ActionButton slug={slug} action={runNow} subject={schedule} />
        {own ? (
          <ActionButton slug={slug} action={schedule.paused_at ? resumeSchedule : pauseSchedule} subject={schedule} />
        ) : (
          <ActionButton slug={slug} action={resyncSchedules} subject={schedule} />
        )}
        <ActionButton slug={slug} action={schedule.is_enabled ? disableSchedule : enableSchedule} subject={schedule} />
        <Button
          icon="settings"
          disabledReason={mayNotChange ?? (own ? null : "Defined in its engine's scheduler. Change it there")}
          onClick={() => go(paths.editSchedule(slug, schedule.id))}
        >
          Edit
        </Button>
        <ActionButton slug={slug} action={deleteSchedule} subject={schedule} />
      </div>
      <StaleLine name="The schedule" read={read} />
      {state === "tripped" ? (
        <NoteLine
          glyph="failure"
          action={
            <ActionButton slug={slug} action={enableSchedule} subject={schedule}>
              Fix and enable
            </ActionButton>
          }
        >
          Stopped after {plural(schedule.consecutive_failures ?? 0, "failed fire")} in a row. Fix the cause, then enable
          it. It doesn't fire again before that.
        </NoteLine>
      ) : null}
      {schedule.quarantined_at ? <QuarantineLine slug={slug} schedule={schedule} /> : null}
      {own ? null : (
        <NoteLine glyph="pending">
          {printable(schedule.scheduler)} fires this schedule, and svc shows what it reports. It doesn't report fires.
        </NoteLine>
      )}
      {schedule.pending_operation ? <PendingLine slug={slug} operation={schedule.pending_operation} /> : null}
      <Facts facts={factsOf(schedule, threshold, own ? p95Of(runs.data?.items[0]?.fires ?? []) : null)} />
      <div className={panel.page}>
        <div className={panel.grid2}>
          <div className={panel.stack}>
            {own ? (
              <>
                <LastError fires={fires.data} />
                <CalendarPanel slug={slug} schedule={schedule} />
                <FiresPanel slug={slug} schedule={schedule} read={fires} />
                <OwnMisfires slug={slug} schedule={schedule} />
              </>
            ) : null}
            <DefinitionPanel slug={slug} schedule={schedule} />
          </div>
          <div className={panel.stack}>
            <NextRunsPanel schedule={schedule} />
          </div>
        </div>
      </div>
    </>
  );
}

/** What was requested of an engine's scheduler and is not confirmed yet. */
function PendingLine({ slug, operation }: { slug: string; operation: ExternalControlOperation }) {
  const word = operation.desired_is_enabled ? "enable" : "disable";
  return (
    <NoteLine
      glyph="pending"
      action={<AppLink href={paths.command(slug, operation.command_id)}>View command</AppLink>}
      aside={<Age at={operation.created_at} suffix=" ago" />}
    >
      Pending: its scheduler was asked to {word} it. The state changes here once the scheduler reports it.
    </NoteLine>
  );
}

function QuarantineLine({ slug, schedule }: { slug: string; schedule: ScheduleDetail }) {
  const { quarantine_code: code, quarantine_detail: detail } = schedule;
  return (
    <NoteLine
      glyph="rejected"
      action={<ActionButton slug={slug} action={clearQuarantine} subject={schedule} />}
      aside={<Age at={schedule.quarantined_at} suffix=" ago" />}
    >
      The scheduler quarantined it: {printable(code ?? "no reason reported")}
      {detail ? `, ${printable(detail)}` : ""}. It doesn't fire until an admin clears the quarantine.
    </NoteLine>
  );
}

function factsOf(schedule: ScheduleDetail, threshold: number | undefined, p95: number | null): FactOf[] {
  const { next_run_at: next, last_run_at: last } = schedule;
  return [
    {
      label: "Next run",
      value: next ? <Countdown at={next} /> : "none",
      note: next ? <RunTime at={next} /> : null,
    },
    {
      label: "Last run",
      value: <Age at={last} suffix=" ago" />,
      note: last ? <RunTime at={last} /> : null,
    },
    { label: "Runs in total", value: count(schedule.total_runs) },
    ...(isOwn(schedule)
      ? [
          {
            label: "Failed in a row",
            value: <BreakerMeter failures={schedule.consecutive_failures} threshold={threshold} />,
            isBad: stateOf(schedule, threshold ?? 0) === "tripped",
          },
          { label: "Missed or skipped, 24 h", value: count(schedule.skipped_slots_24h) },
          { label: "p95 latency, last 20 fires", value: p95 === null ? "–" : duration(p95) },
        ]
      : []),
  ];
}
