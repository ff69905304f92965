import { operation, type Routes } from "../../platform/http/app.ts";
import type { SettingRow } from "../../platform/settings.ts";
import { SettingsAnswer, VersionsAnswer } from "./schemas.ts";
import type { Versions } from "./versions.ts";

export interface AdminRouteDeps {
  /** The effective settings, secrets masked. */
  readonly settingRows: readonly SettingRow[];
  readonly settings: { readonly SVC_HOME: string };
  readonly versions: Versions;
}

/** What administrators can read about the instance: effective settings and known versions. */
export const adminRoutes: Routes<AdminRouteDeps> = (app, { settingRows, settings, versions }) => {
  operation(app, "GET /admin/settings", {
    operationId: "getSettings",
    summary: "Get effective settings",
    description: "Lists every setting of the answering process with its value and its source. Secrets are masked.",
    response: { 200: SettingsAnswer },
    policy: { tag: "admin", globalAdmin: true },
    handler: () => ({ svc_home: settings.SVC_HOME, settings: settingRows.map(publicRow) }),
  });

  operation(app, "GET /admin/system/versions", {
    operationId: "getKnownVersions",
    summary: "Get known versions",
    description:
      "Returns the latest known versions of the packages, from the bundled manifest or the last check. Sends no external request.",
    response: { 200: VersionsAnswer },
    policy: { tag: "admin", globalAdmin: true },
    handler: () => versions.snapshot(),
  });

  operation(app, "POST /admin/system/versions/check", {
    operationId: "checkVersions",
    summary: "Check for new versions",
    description: "Fetches the version manifest from the configured URL once and returns the known versions.",
    answers: { 409: "The manifest could not be fetched or read; `details.reason` names the problem." },
    response: { 200: VersionsAnswer },
    policy: { tag: "admin", globalAdmin: true },
    handler: () => versions.check(),
  });
};

const publicRow = ({ name, value, source, is_secret, description }: SettingRow) => ({
  name,
  value: value === null ? "" : typeof value === "string" ? value : JSON.stringify(value),
  source,
  is_secret,
  description,
});
