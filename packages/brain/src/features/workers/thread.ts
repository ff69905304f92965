// What runs inside the database's threads as well, without the routes that index.ts loads.
export { decidingChanges, type WorkerStateChange } from "./state-change.ts";
export { openWorkerStateStore } from "./state-store.ts";
