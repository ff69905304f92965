export type { RevokeKeys } from "./about.ts";
export { createUserAdministration, type UserAdministration } from "./administration.ts";
export { type FailedPasswordDeps, isOwnPassword, noteFailedPassword } from "./failed-password.ts";
export { passwordRefusal } from "./password-rules.ts";
export { type ReplacePasswordDeps, replacePassword } from "./replace-password.ts";
export { userRoutes } from "./routes.ts";
export { Email, isEmail, NewPassword, ProfileBody, UserPublic } from "./schemas.ts";
export { publicUser } from "./shapes.ts";
export { createUsers, emailKey, type Users } from "./users.ts";
