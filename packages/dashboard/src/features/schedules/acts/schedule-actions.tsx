import type { Schedule } from "@svc/client";
import { lazy } from "react";
import type { Action } from "../../actions/index.ts";
import { isOwn } from "../schedule-state.ts";
import type { Control } from "./control-texts.ts";

const ControlDialog = lazy(() => import("./ControlDialog.tsx").then((part) => ({ default: part.ControlDialog })));
const RunNowDialog = lazy(() => import("./RunNowDialog.tsx").then((part) => ({ default: part.RunNowDialog })));

const isNative = "Its engine's scheduler controls it";

interface ControlOptions {
  label: string;
  icon: string;
  inPalette: string;
  guard: (schedule: Schedule) => string | null;
}

const control = (act: Control, { inPalette, ...options }: ControlOptions, role?: "admin"): Action<Schedule> => ({
  id: `schedule.${act}`,
  ...options,
  ...(role && { role }),
  needs: () => [],
  inPalette: { label: inPalette, also: "schedule" },
  Dialog: ({ subject, ...rest }) => <ControlDialog {...rest} schedule={subject} act={act} />,
});

export const runNow: Action<Schedule> = {
  id: "schedule.run",
  label: "Run now",
  icon: "play",
  inPalette: { label: "Run this schedule now", also: "fire trigger start" },
  needs: () => [],
  guard: ({ paused_at, quarantined_at }) =>
    quarantined_at ? "Quarantined. Clear the quarantine first" : paused_at ? "Paused. Resume it first" : null,
  Dialog: ({ subject, ...rest }) => <RunNowDialog {...rest} schedule={subject} />,
};

export const enableSchedule = control("enable", {
  label: "Enable",
  icon: "play",
  inPalette: "Enable this schedule",
  guard: ({ is_enabled }) => (is_enabled ? "Already enabled" : null),
});

export const disableSchedule = control("disable", {
  label: "Disable",
  icon: "x",
  inPalette: "Disable this schedule",
  guard: ({ is_enabled }) => (is_enabled ? null : "Already disabled"),
});

export const pauseSchedule = control("pause", {
  label: "Pause",
  icon: "pause",
  inPalette: "Pause this schedule",
  guard: (schedule) => (isOwn(schedule) ? (schedule.paused_at ? "Already paused" : null) : isNative),
});

export const resumeSchedule = control("resume", {
  label: "Resume",
  icon: "play",
  inPalette: "Resume this schedule",
  guard: (schedule) => (isOwn(schedule) ? (schedule.paused_at ? null : "Not paused") : isNative),
});

export const deleteSchedule = control(
  "delete",
  {
    label: "Delete",
    icon: "trash",
    inPalette: "Delete this schedule",
    guard: (schedule) => (isOwn(schedule) ? null : "Defined in its engine's scheduler. Delete it there"),
  },
  "admin",
);

export const clearQuarantine = control(
  "clear-quarantine",
  {
    label: "Clear quarantine",
    icon: "check",
    inPalette: "Clear the quarantine of this schedule",
    guard: ({ quarantined_at }) => (quarantined_at ? null : "Not quarantined"),
  },
  "admin",
);

export const resyncSchedules = control(
  "resync",
  {
    label: "Resync",
    icon: "retry",
    inPalette: "Resync the schedules of engines",
    guard: (schedule) => (isOwn(schedule) ? "Only for schedules of an engine's scheduler" : null),
  },
  "admin",
);

/** The actions on a schedule, for the palette. */
export const scheduleActions: readonly Action<Schedule>[] = [
  runNow,
  enableSchedule,
  disableSchedule,
  pauseSchedule,
  resumeSchedule,
  clearQuarantine,
  resyncSchedules,
  deleteSchedule,
];
