import { isProblem } from "@svc/client";
import { conflictReason } from "../../../api/field-errors.ts";
import { causeOf } from "../../../ui/panels/Feedback.tsx";
import { printable } from "../../../ui/time/format.ts";

/** What the dialog of a control does. */
export type Control = "enable" | "disable" | "pause" | "resume" | "delete" | "clear-quarantine" | "resync";

interface ControlText {
  title: (name: string) => string;
  act: string;
  /** What happens, by who fires the schedule. */
  own: string;
  native?: string;
  /** What did not happen after an error. */
  undone: string;
}

const agentDoes = "An agent asks the engine's scheduler to do this. The schedule changes here once it reports that.";

export const controlTexts: Readonly<Record<Control, ControlText>> = {
  enable: {
    title: (name) => `Enable ${name}`,
    act: "Enable schedule",
    own: "It fires again. The next run is computed from now on; runs that were due while it was disabled are not made up.",
    native: agentDoes,
    undone: "The schedule was not enabled.",
  },
  disable: {
    title: (name) => `Disable ${name}`,
    act: "Disable schedule",
    own: "It no longer fires until you enable it. Runs in that time are not made up. Fires waiting for an agent are dropped.",
    native: agentDoes,
    undone: "The schedule was not disabled.",
  },
  pause: {
    title: (name) => `Pause ${name}`,
    act: "Pause schedule",
    own: "It doesn't fire until you resume it. Runs in that time are not made up, and Run now is off.",
    undone: "The schedule was not paused.",
  },
  resume: {
    title: (name) => `Resume ${name}`,
    act: "Resume schedule",
    own: "It fires again. The next run is computed from now on; runs that were due while it was paused are not made up.",
    undone: "The schedule was not resumed.",
  },
  delete: {
    title: (name) => `Delete ${name}`,
    act: "Delete schedule",
    own: "Deletes the schedule with its history. This can't be undone. Tasks that it started continue; fires waiting for an agent are dropped.",
    undone: "The schedule was not deleted.",
  },
  "clear-quarantine": {
    title: (name) => `Clear the quarantine of ${name}`,
    act: "Clear quarantine",
    own: "The scheduler fires it again from now on. If the cause remains, it is quarantined again.",
    undone: "The schedule is still quarantined.",
  },
  resync: {
    title: () => "Resync the schedules of engines",
    act: "Resync schedules",
    own: "Asks every agent that watches a scheduler to report all schedules of its engine again. Nothing is changed in the engines.",
    undone: "No agent was asked.",
  },
};

const conflicts: Readonly<Record<string, string>> = {
  native_schedule: "Its engine's scheduler controls it. Change it there.",
  never_matches: "No run follows: change the expression first.",
  no_online_agent: "No agent that watches this scheduler is online. Start one, then try again.",
  operation_pending: "The opposite was requested and has not ended. Wait for it, then try again.",
  schedule_paused: "The schedule is paused. Resume it first.",
  schedule_quarantined: "The schedule is quarantined. Clear the quarantine first.",
  schedule_not_runnable: "Its definition can't be run. Check its task, queue and arguments.",
};

const missing: Readonly<Record<string, (engine: string) => string>> = {
  no_online_agent: (engine) => `No agent for ${engine} is online. Start one, then try again.`,
  scheduler_not_installed: () => "No online agent watches this scheduler.",
  engine_not_installed: (engine) => `No online agent runs ${engine}.`,
};

/** Why a request about a schedule was refused, with what to do. */
export function scheduleErrorText(error: unknown, engine: string): string {
  if (isProblem(error, "conflict") && error.details.live_control_token !== undefined) {
    return "The schedule changed since you opened this. Close it and check the schedule.";
  }
  const reason = conflictReason(error);
  if (reason !== null) return conflicts[reason] ?? causeOf(error);
  if (isProblem(error, "not_found") && typeof error.details.reason === "string") {
    return missing[error.details.reason]?.(printable(engine)) ?? causeOf(error);
  }
  return causeOf(error);
}
