export type { ExternalOperation, SetNativeEnabled } from "./control/control.ts";
export {
  changeControl,
  lockSchedule,
  lockSchedules,
  recordChanges,
  type ScheduleChange,
} from "./control/control-store.ts";
export { scheduleRoutes } from "./routes.ts";
export { createSchedules, type Schedules } from "./schedules.ts";
export { scheduleSettings } from "./settings.ts";
export { cadenceOf, isRunnable, ownScheduler, slotAfter, successor } from "./slots.ts";
