import { type Static, Type } from "typebox";
import { Instant, Nullable, OneOf } from "../../platform/http/schemas.ts";

export const SettingsAnswer = Type.Object(
  {
    svc_home: Type.String({ description: "the home directory of the process that answers" }),
    settings: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: "name of the variable" }),
          value: Type.String({
            description: "lists and objects as JSON, an absent value as an empty text, secrets as ***",
          }),
          source: Type.String({ description: "a file path, environment, default or unset" }),
          is_secret: Type.Boolean({ description: "whether the value is hidden" }),
          description: Type.String({ description: "what it sets" }),
        },
        { title: "SettingRow", description: "One setting." },
      ),
    ),
  },
  { title: "InstanceSettings", description: "The effective settings of one process." },
);
export type SettingsAnswer = Static<typeof SettingsAnswer>;

const version = Type.String({ pattern: "^\\d{1,6}\\.\\d{1,6}\\.\\d{1,6}([-+][0-9A-Za-z.+-]{1,64})?$" });

/** What the URL of the version check must serve. */
export const VersionManifest = Type.Object({
  packages: Type.Record(Type.String({ pattern: "^[a-z0-9@/._-]{1,100}$" }), version, {
    minProperties: 1,
    maxProperties: 200,
  }),
  schema_version: Type.Integer({ minimum: 1, maximum: 1, description: "version of the manifest's own form" }),
  generated_at: Type.String({ format: "date-time", maxLength: 40 }),
  generated_by: Type.String({ minLength: 1, maxLength: 200 }),
  canonical_url: Type.String({ pattern: "^https://", maxLength: 500 }),
});
export type VersionManifest = Static<typeof VersionManifest>;

export const VersionsAnswer = Type.Object(
  {
    packages: Type.Record(Type.String(), Type.String(), { description: "name to latest known version" }),
    schema_version: Type.Integer({ description: "version of the form of this answer" }),
    generated_at: Nullable(Instant, "when the list was made; null for the bundled one"),
    generated_by: Type.String({ description: "who made the list" }),
    canonical_url: Nullable(Type.String(), "where the list is published; null for the bundled one"),
    source: OneOf(["bundled", "remote"] as const, { description: "bundled with this release, or fetched from remote" }),
    fetched_at: Nullable(Instant, "when it was fetched; null for the bundled one"),
    fetched_from: Nullable(Type.String(), "URL that it was fetched from; null for the bundled one"),
    check_for_updates_url: Nullable(Type.String({ description: "where the check asks; null when it is switched off" })),
  },
  { title: "KnownVersions", description: "The latest known versions of the packages." },
);
export type VersionsAnswer = Static<typeof VersionsAnswer>;
