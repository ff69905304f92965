export { createHealth } from "./health.ts";
export { registerProcessMetrics } from "./metrics.ts";
export { healthRoutes } from "./routes.ts";
