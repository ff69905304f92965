export { changeControl, lockSchedule, lockSchedules, recordChanges, type ScheduleChange } from "./control-store.ts";
export { cadenceOf, isRunnable, ownScheduler, slotAfter, successor } from "./slots.ts";
