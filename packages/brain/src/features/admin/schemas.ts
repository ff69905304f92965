import { type Static, Type } from "typebox";
import { Instant, Nullable, OneOf } from "../../platform/http/schemas.ts";

export const SettingsAnswer = Type.Object(
  {
    svc_home: Type.String({ description: "home directory of the answering process" }),
    settings: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: "name of the variable" }),
          value: Type.String({
            description: "lists and objects are JSON, a missing value is empty, secrets are ***",
          }),
          source: Type.String({ description: "a file path, environment, default or unset" }),
          is_secret: Type.Boolean({ description: "whether the value is hidden" }),
          description: Type.String({ description: "purpose of the setting" }),
        },
        { title: "SettingRow", description: "One setting." },
      ),
    ),
  },
  { title: "InstanceSettings", description: "The effective settings of one process." },
);
export type SettingsAnswer = Static<typeof SettingsAnswer>;

const version = Type.String({ pattern: "^\\d{1,6}\\.\\d{1,6}\\.\\d{1,6}([-+][0-9A-Za-z.+-]{1,64})?$" });

/** The manifest that the URL of the version check must serve. */
export const VersionManifest = Type.Object({
  packages: Type.Record(Type.String({ pattern: "^[a-z0-9@/._-]{1,100}$" }), version, {
    minProperties: 1,
    maxProperties: 200,
  }),
  schema_version: Type.Integer({ minimum: 1, maximum: 1, description: "version of the manifest's format" }),
  generated_at: Type.String({ format: "date-time", maxLength: 40 }),
  generated_by: Type.String({ minLength: 1, maxLength: 200 }),
  canonical_url: Type.String({ pattern: "^https://", maxLength: 500 }),
});
export type VersionManifest = Static<typeof VersionManifest>;

export const VersionsAnswer = Type.Object(
  {
    packages: Type.Record(Type.String(), Type.String(), { description: "name to latest known version" }),
    schema_version: Type.Integer({ description: "version of the format of this answer" }),
    generated_at: Nullable(Instant, "when the list was generated; null for the bundled one"),
    generated_by: Type.String({ description: "program that generated the list" }),
    canonical_url: Nullable(Type.String(), "URL where the list is published; null for the bundled one"),
    source: OneOf(["bundled", "remote"] as const, {
      description: "bundled with this release, or fetched from the configured URL",
    }),
    fetched_at: Nullable(Instant, "when it was fetched; null for the bundled one"),
    fetched_from: Nullable(Type.String(), "URL that it was fetched from; null for the bundled one"),
    check_for_updates_url: Nullable(
      Type.String({ description: "URL that the check uses; null when the check is disabled" }),
    ),
  },
  { title: "KnownVersions", description: "The latest known versions of the packages." },
);
export type VersionsAnswer = Static<typeof VersionsAnswer>;
