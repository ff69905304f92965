export { fingerprintOf } from "./fingerprint.ts";
export { issueRoutes } from "./routes.ts";
