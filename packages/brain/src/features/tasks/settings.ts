import { Type } from "typebox";
import type { SettingsCheck } from "../../platform/settings.ts";

export const taskSettings = Type.Object({
  SVC_TASKS_EXPORT_MAX_ROWS: Type.Integer({
    default: 50_000,
    minimum: 100,
    maximum: 100_000,
    description: "maximum rows of a task export, for xlsx never above 25000; larger exports are refused, not truncated",
  }),
  SVC_TASK_RETENTION_DAYS: Type.Integer({
    default: 90,
    minimum: 1,
    maximum: 3650,
    description: "days to keep a task after its last event; at least SVC_EVENT_RETENTION_DAYS",
  }),
});

/** A task must not be deleted before its events: a late event would create it again, from that event alone. */
export const checkTaskRetention: SettingsCheck = (values, fault) => {
  if ((values.SVC_TASK_RETENTION_DAYS as number) < (values.SVC_EVENT_RETENTION_DAYS as number)) {
    fault("SVC_TASK_RETENTION_DAYS", "must be at least SVC_EVENT_RETENTION_DAYS");
  }
};
