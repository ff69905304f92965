import type { TObject } from "typebox";
import { rangeOf, type SettingSchema } from "../../platform/settings/values.ts";
import { mergeFragments } from "../../platform/settings.ts";

/** The page that lists every setting of the brain. */
export function configurationText(fragments: readonly TObject[]): string {
  return [
    "# Configuration",
    "",
    "Every setting of the service. Generated from the code by `npm run docs`. For agents, see [Agent options](agent-options.md); for",
    "`svc scheduler serve`, see [Scheduler settings](scheduler-settings.md).",
    "",
    "- Settings are read once at start. Sources, lowest priority first: `SVC_HOME/secret.env`, `SVC_HOME/config.env`, `./.env`, the process environment.",
    "  A blank value counts as not set.",
    "- Lists are JSON arrays or comma-separated. Booleans are `true`/`false`, `1`/`0`, `yes`/`no` or `on`/`off`.",
    "- A secret whose default is *generated* is created at the first start and stored in `SVC_HOME/secret.env`.",
    "- If a value is invalid, or a file contains an unknown `SVC_` name, the service doesn't start and lists every error.",
    "",
    ...settingsTable(fragments),
    "",
  ].join("\n");
}

/** A table of settings, as lines. */
export const settingsTable = (fragments: readonly TObject[]): string[] => [
  "| Name | Default | Range | Meaning |",
  "|---|---|---|---|",
  ...[...mergeFragments(fragments)].map(([name, schema]) => settingLine(name, schema)),
];

function settingLine(name: string, schema: SettingSchema): string {
  const values = schema.enum === undefined ? rangeOf(schema) : schema.enum.join(", ");
  return `| \`${name}\` | ${defaultOf(schema)} | ${cell(values)} | ${cell(schema.description ?? "")} |`;
}

function defaultOf({ default: value, minted }: SettingSchema): string {
  if (minted === true) return "generated";
  if (value === undefined || value === "") return "none";
  if (Array.isArray(value) && value.length === 0) return "empty";
  return `\`${typeof value === "object" ? JSON.stringify(value) : String(value)}\``;
}

const cell = (text: string): string => (text === "" ? "-" : text.replaceAll("|", "\\|"));
