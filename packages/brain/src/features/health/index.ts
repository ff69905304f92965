export { createHealth } from "./health.ts";
export { registerProcessMetrics } from "./metrics.ts";
export { readDatabaseFacts } from "./reads.ts";
export { healthRoutes } from "./routes.ts";
