export { pruneEvents } from "./loops.ts";
export { eventPartitions } from "./partitions.ts";
export { copyEvents, insertEvents } from "./postgres-store.ts";
export { eventRoutes } from "./routes.ts";
export { eventSettings } from "./settings.ts";
