import { existsSync } from "node:fs";
import { join } from "node:path";
import { Type } from "typebox";
import type { SettingsCheck } from "../../platform/settings.ts";

export const webSettings = Type.Object({
  SVC_DASHBOARD_DIST: Type.String({
    default: "",
    description: "folder of a dashboard build to serve instead of the built-in one",
  }),
  SVC_DISABLE_SPA_FALLBACK: Type.Boolean({ default: false, description: "serve no dashboard: unknown paths are 404" }),
});

/** A folder that is named must hold a page: a service without its dashboard is asked for by the other setting. */
export const checkDashboardFolder: SettingsCheck = (values, fault) => {
  const folder = values.SVC_DASHBOARD_DIST as string;
  if (folder !== "" && !existsSync(join(folder, "index.html"))) {
    fault("SVC_DASHBOARD_DIST", "must be a folder that holds an index.html");
  }
};
