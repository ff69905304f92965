export { CodeField } from "./CodeField.tsx";
export { codeFailure, wrongPassword } from "./failures.ts";
export { mfaStatusQuery, trustedDevicesQuery } from "./queries.ts";
export { RecoveryCodes } from "./RecoveryCodes.tsx";
