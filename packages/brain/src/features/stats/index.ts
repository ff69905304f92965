export { appendDeltas } from "./delta-postgres-store.ts";
export type { DeltaStore } from "./delta-sqlite-store.ts";
export { createDeltas, type Deltas } from "./deltas.ts";
export { compactRollups, foldCounters } from "./fold-counters.ts";
export { appendStateDeltas } from "./fold-store.ts";
export { pruneRollups } from "./loops.ts";
export { countsByKind, taskCounts } from "./reads.ts";
export { statsRoutes } from "./routes.ts";
export { bucketStart, minutesBegin, readRange, type TimeRange } from "./time-range.ts";
