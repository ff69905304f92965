export { prunePasswordResets } from "./loops.ts";
export { createPasswordReset, type PasswordReset } from "./password-reset.ts";
export { passwordResetRoutes } from "./routes.ts";
