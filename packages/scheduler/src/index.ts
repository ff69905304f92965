export { type Brain, BrainFault } from "./brain/brain.ts";
export type { SchedulerClock } from "./clock.ts";
export type { SchedulerLog } from "./log.ts";
export {
  checkSchedulerSettings,
  type SchedulerSettings,
  SchedulerSettingsError,
  schedulerSettings,
} from "./settings.ts";
export { type RunningScheduler, type StartSchedulerOptions, startScheduler } from "./start-scheduler.ts";
