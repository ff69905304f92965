export type { Check } from "./checks.ts";
export { createHealth, type Health, type HealthDeps } from "./health.ts";
export { registerProcessMetrics } from "./metrics.ts";
export { healthRoutes } from "./routes.ts";
