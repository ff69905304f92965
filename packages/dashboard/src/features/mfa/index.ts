export { CodeField } from "./CodeField.tsx";
export { codeFailure } from "./failures.ts";
export { mfaStatusQuery, trustedDevicesQuery } from "./queries.ts";
export { RecoveryCodes } from "./RecoveryCodes.tsx";
