export { createUserAdministration, type UserAdministration } from "./administration/user-administration.ts";
export { type FailedPasswordDeps, isOwnPassword, noteFailedPassword } from "./passwords/failed-password.ts";
export { passwordRefusal } from "./passwords/password-rules.ts";
export { type ReplacePasswordDeps, type RevokeKeys, replacePassword } from "./passwords/replace-password.ts";
export { aboutUser, userRoutes } from "./routes.ts";
export { Email, isEmail, NewPassword, ProfileBody, UserParams, UserPublic } from "./schemas.ts";
export { publicUser } from "./shapes.ts";
export { createUsers, emailKey, type Users } from "./users.ts";
