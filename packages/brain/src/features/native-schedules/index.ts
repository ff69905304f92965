export { createPositionCheck, type RequirePositions, SchedulerUpgradeRequired } from "./projection/positions.ts";
export { mirrorSchedules } from "./projection/postgres-store.ts";
