export {
  type Changes,
  readChanges,
  readSnapshot,
  type VisibleChange,
} from "./change-log/change-reads.ts";
export { pruneScheduleChanges, pruneScheduleSkips } from "./change-log/loops.ts";
export type { ExternalOperation, SetNativeEnabled } from "./control/control.ts";
export {
  changeControl,
  lockSchedule,
  lockSchedules,
  recordChanges,
  type ScheduleChange,
} from "./control/control-store.ts";
export { followProject } from "./control/project-store.ts";
export type { QuarantineReport, QuarantineResult } from "./control/quarantine.ts";
export { scheduleRoutes } from "./routes.ts";
export { createSchedules, type Schedules } from "./schedules.ts";
export { scheduleSettings } from "./settings.ts";
export { cadenceOf, isRunnable, ownScheduler, slotAfter, successor } from "./slots.ts";
