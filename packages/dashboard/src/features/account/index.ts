export { NewPassword } from "./password/NewPassword.tsx";
export { passwordPolicyQuery } from "./queries.ts";
