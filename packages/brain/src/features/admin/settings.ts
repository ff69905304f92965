import { Type } from "typebox";

export const adminSettings = Type.Object({
  SVC_VERSION_CHECK_URL: Type.String({
    default: "",
    description: "https URL of the manifest of known versions; empty disables the check",
  }),
});
