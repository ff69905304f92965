export { retentionCheck } from "./checks.ts";
export { createHealth } from "./health.ts";
export { probeWrites, watchClock } from "./loops.ts";
export { registerProcessMetrics } from "./metrics.ts";
export { healthRoutes } from "./routes.ts";
export { readLastSeen } from "./store.ts";
export { createWriteProbe } from "./write-probe.ts";
