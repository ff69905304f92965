import { Type } from "typebox";

export const adminSettings = Type.Object({
  SVC_VERSION_CHECK_URL: Type.String({
    default: "",
    description: "https URL of the version manifest; empty disables the check",
  }),
});
