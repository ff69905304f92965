export { PoolBar } from "./PoolBar.tsx";
export { workerQuery, workersQuery } from "./queries.ts";
export { stateReason, type WorkerTrouble, workersInOrder, workerTrouble } from "./worker-states.ts";
