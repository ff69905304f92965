import type { ScheduleDetail } from "@svc/client";
import type { ReactNode } from "react";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { JsonPanel } from "../../../ui/json/JsonView.tsx";
import { FactList } from "../../../ui/panels/PanelFacts.tsx";
import { PanelFrame } from "../../../ui/panels/PanelFrame.tsx";
import { duration, nameText, printable } from "../../../ui/time/format.ts";
import { Stamp } from "../../../ui/time/Stamp.tsx";
import { type CatchUp, catchUpExample, catchUpRules } from "../catch-up.ts";
import { isOwn } from "../schedule-state.ts";
import { knownZone } from "../when.ts";

/** When and what a schedule fires, and what it does when it is late. */
export function DefinitionPanel({ slug, schedule }: { slug: string; schedule: ScheduleDetail }) {
  const { late_start_seconds: lateStart, long_run_seconds: longRun } = schedule;
  const limit = (seconds: number | null | undefined) =>
    seconds === null || seconds === undefined ? <span className="t3">no limit</span> : duration(seconds * 1000);
  const catchUp = schedule.catch_up as CatchUp;
  const example = catchUpExample(
    catchUp,
    (schedule.next_runs ?? []).map((run) => Date.parse(run)),
    knownZone(schedule.timezone),
  );
  const facts: [string, ReactNode][] = [
    [
      "Expression",
      <span key="expression">
        <code>{printable(schedule.expression)}</code>
        {schedule.description ? `, ${printable(schedule.description)}` : ""}
      </span>,
    ],
    ["Kind", printable(schedule.kind)],
    ["Time zone", printable(schedule.timezone || "UTC")],
    [
      "Task",
      <AppLink key="task" href={paths.tasks(slug, { name: schedule.task_name })}>
        {nameText(schedule.task_name)}
      </AppLink>,
    ],
    [
      "Queue",
      schedule.queue ? (
        <AppLink key="queue" href={paths.queue(slug, schedule.engine, schedule.queue)}>
          {nameText(schedule.queue)}
        </AppLink>
      ) : (
        "default of the engine"
      ),
    ],
    ["Priority", schedule.priority],
    ...(isOwn(schedule)
      ? ([
          [
            "After downtime",
            [catchUpRules[catchUp] ?? printable(schedule.catch_up), example].filter(Boolean).join(" "),
          ],
          [
            "Overlap",
            schedule.overlap_policy === "skip"
              ? "Skips a run while an earlier one is unfinished."
              : "Starts a run even while an earlier one is unfinished.",
          ],
          ["Late start after", limit(lateStart)],
          ["Long run after", limit(longRun)],
        ] satisfies [string, ReactNode][])
      : []),
    ["Scheduler", printable(schedule.scheduler)],
    ["Source", printable(schedule.source)],
    ["Created", <Stamp key="created" at={schedule.created_at} />],
    ["Changed", <Stamp key="changed" at={schedule.updated_at} />],
    [
      "Schedule id",
      <span key="id" className="mono">
        {schedule.id}
      </span>,
    ],
  ];
  return (
    <>
      <PanelFrame title="Definition">
        <FactList facts={facts} />
      </PanelFrame>
      <JsonPanel
        title="Arguments"
        parts={[
          { label: "args", value: schedule.args },
          { label: "kwargs", value: schedule.kwargs },
        ]}
      />
    </>
  );
}
