export { firstPasswordRefusal, minFirstPasswordChars, passwordRefusal } from "./password-rules.ts";
export { Email, emailPattern, NewPassword, ProfileBody, UserPublic } from "./schemas.ts";
export { publicUser } from "./shapes.ts";
export { createUsers, type NewUser, type Users } from "./users.ts";
