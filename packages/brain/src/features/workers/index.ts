export { pruneWorkers, sweepSilentWorkers } from "./loops.ts";
export { workersOnline } from "./online-reads.ts";
export { workerCounts, workersById } from "./reads.ts";
export { workerRoutes } from "./routes.ts";
export { decidingChanges, type WorkerStateChange } from "./state-change.ts";
export { applyWorkerStates } from "./state-postgres-store.ts";
export type { WorkerStateStore } from "./state-sqlite-store.ts";
export { createWorkers, type Workers } from "./workers.ts";
