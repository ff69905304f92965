export { labelledDepths } from "./depth-reads.ts";
export { pruneQueueDepths, pruneQueues } from "./loops.ts";
export { createQueues, type Queues, queueNames } from "./queues.ts";
export { queuesById } from "./reads.ts";
export { queueRoutes } from "./routes.ts";
export { unseenRows } from "./unseen-store.ts";
