export type { EnforcedUser } from "./enforcement.ts";
export { pruneTrustedDevices } from "./loops.ts";
export { createMfa, type Mfa } from "./mfa.ts";
export { mfaRoutes } from "./routes.ts";
export { mfaState } from "./schemas.ts";
export { mfaSettings } from "./settings.ts";
