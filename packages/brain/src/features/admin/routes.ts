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

/** What an administrator of the instance reads about it: effective settings and known versions. */
export const adminRoutes: Routes<AdminRouteDeps> = (app, { settingRows, settings, versions }) => {
  operation(app, "GET /admin/settings", {
    operationId: "getSettings",
    summary: "Get effective settings",
    description:
      "Lists every setting of the answering process with its value and where the value comes from. Secrets are masked.",
    response: { 200: SettingsAnswer },
    policy: { tag: "admin", globalAdmin: true },
    handler: () => ({ svc_home: settings.SVC_HOME, settings: settingRows.map(publicRow) }),
  });

  operation(app, "GET /admin/system/versions", {
    operationId: "getKnownVersions",
    summary: "Get known versions",
    description:
      "Returns the latest known versions of the packages, from the bundled manifest or the last check. Nothing is requested from outside.",
    response: { 200: VersionsAnswer },
    policy: { tag: "admin", globalAdmin: true },
    handler: () => versions.snapshot(),
  });

  operation(app, "POST /admin/system/versions/check", {
    operationId: "checkVersions",
    summary: "Check for new versions",
    description: "Requests the version manifest from the configured URL once and returns what is known afterwards.",
    answers: { 409: "The check is switched off, or the manifest could not be read; `details.reason` says which." },
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
