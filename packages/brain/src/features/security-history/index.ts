export { pruneSecurityHistory } from "./loops.ts";
export { securityHistoryRoutes } from "./routes.ts";
export { createSecurityHistory, type DeviceSeen, type SecurityHistory } from "./security-history.ts";
