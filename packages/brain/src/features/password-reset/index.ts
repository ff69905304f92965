export { prunePasswordResets } from "./loops.ts";
export { createPasswordReset } from "./password-reset.ts";
export { passwordResetRoutes } from "./routes.ts";
