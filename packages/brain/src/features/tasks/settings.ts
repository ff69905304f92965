import { Type } from "typebox";
import type { SettingsCheck } from "../../platform/settings.ts";

export const taskSettings = Type.Object({
  SVC_TASKS_EXPORT_MAX_ROWS: Type.Integer({
    default: 50_000,
    minimum: 100,
    maximum: 100_000,
    description: "rows that a task export may hold; a larger match is refused, never cut",
  }),
  SVC_TASK_RETENTION_DAYS: Type.Integer({
    default: 90,
    minimum: 1,
    maximum: 3650,
    description: "days a task row without newer events is kept; not below SVC_EVENT_RETENTION_DAYS",
  }),
});

/** A task must not go before its events: a late one would make it anew, and it would then know only that one. */
export const checkTaskRetention: SettingsCheck = (values, fault) => {
  if ((values.SVC_TASK_RETENTION_DAYS as number) < (values.SVC_EVENT_RETENTION_DAYS as number)) {
    fault("SVC_TASK_RETENTION_DAYS", "must not be below SVC_EVENT_RETENTION_DAYS");
  }
};
