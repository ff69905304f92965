export { pruneWorkers, sweepSilentWorkers } from "./loops.ts";
export { workerCounts, workersById, workersOnline } from "./reads.ts";
export { workerRoutes } from "./routes.ts";
export { decidingChanges, type WorkerStateChange } from "./state-change.ts";
export { applyWorkerStates, type WorkerStateStore } from "./state-store.ts";
export { createWorkers, type Workers } from "./workers.ts";
