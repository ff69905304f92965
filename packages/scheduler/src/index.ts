export { type Brain, BrainFault } from "./brain/brain.ts";
export type { SchedulerClock } from "./clock.ts";
export type { SchedulerLog } from "./log.ts";
export { checkSchedulerSettings, type SchedulerSettings, schedulerSettings } from "./settings.ts";
export {
  type RunningScheduler,
  SchedulerSettingsError,
  type StartSchedulerOptions,
  startScheduler,
} from "./start-scheduler.ts";
