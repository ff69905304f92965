import { Type } from "typebox";

export const webSettings = Type.Object({
  SVC_DASHBOARD_DIST: Type.String({
    default: "",
    description: "folder of a dashboard build to serve instead of the built-in one",
  }),
  SVC_DISABLE_SPA_FALLBACK: Type.Boolean({ default: false, description: "serve no dashboard: unknown paths are 404" }),
});
