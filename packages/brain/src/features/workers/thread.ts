// Exports for the database threads, without the routes that index.ts loads.
export { decidingChanges, type WorkerStateChange } from "./state-change.ts";
export { openWorkerStateStore } from "./state-store.ts";
