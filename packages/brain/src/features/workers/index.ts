export { pruneWorkers, sweepSilentWorkers } from "./loops.ts";
export { workerCounts, workersById, workersOnline } from "./reads.ts";
export { workerRoutes } from "./routes.ts";
export { applyWorkerStates } from "./state-store.ts";
export { createWorkers, type Workers } from "./workers.ts";
