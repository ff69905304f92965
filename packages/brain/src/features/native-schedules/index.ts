export { pruneOperations, pruneSnapshotParts, pruneTombstones, settleOperations } from "./loops.ts";
export { createNativeSchedules } from "./native-schedules.ts";
export { createPositionCheck, type RequirePositions, SchedulerUpgradeRequired } from "./projection/positions.ts";
export { mirrorSchedules } from "./projection/postgres-store.ts";
export { nativeScheduleRoutes } from "./routes.ts";
