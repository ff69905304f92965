import type { PillStyle } from "../../ui/StatePill.tsx";
import type { ScheduleState } from "./schedule-state.ts";

export const stateWords: Readonly<Record<ScheduleState, string>> = {
  on: "enabled",
  paused: "paused",
  disabled: "disabled",
  finished: "finished",
  tripped: "stopped",
  quarantined: "quarantined",
};

export const stateStyles: Readonly<Record<ScheduleState, PillStyle>> = {
  on: { tone: "success", glyph: "success" },
  paused: { tone: "pending", glyph: "half" },
  disabled: { tone: "unknown", glyph: "revoked" },
  finished: { tone: "pending", glyph: "success" },
  tripped: { tone: "failure", glyph: "failure" },
  quarantined: { tone: "rejected", glyph: "rejected" },
};
