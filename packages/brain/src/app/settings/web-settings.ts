import { existsSync } from "node:fs";
import { join } from "node:path";
import { Type } from "typebox";
import type { SettingsCheck } from "../../platform/settings.ts";

export const webSettings = Type.Object({
  SVC_DASHBOARD_DIST: Type.String({
    default: "",
    description: "folder of a dashboard build to serve instead of the built-in one",
  }),
  SVC_DISABLE_SPA_FALLBACK: Type.Boolean({
    default: false,
    description: "don't serve the dashboard; unknown paths return 404",
  }),
});

/** The folder must have a page: SVC_DISABLE_SPA_FALLBACK is the setting for a service without a dashboard. */
export const checkDashboardFolder: SettingsCheck = (values, fault) => {
  const folder = values.SVC_DASHBOARD_DIST as string;
  if (folder !== "" && !existsSync(join(folder, "index.html"))) {
    fault("SVC_DASHBOARD_DIST", "must be a folder with an index.html");
  }
};
