export { createBulkRetries } from "./bulk-retries.ts";
export { moveBulkRetries, pruneBulkRetries } from "./loops.ts";
export { bulkRetryRoutes } from "./routes.ts";
export { bulkRetrySettings } from "./settings.ts";
export { childMoves, controlMoves } from "./states.ts";
export { forgetRetrier } from "./store.ts";
