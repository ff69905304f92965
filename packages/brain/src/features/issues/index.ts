export { failureText } from "./failure-text.ts";
export { fingerprintOf } from "./fingerprint.ts";
export { issueRoutes } from "./routes.ts";
