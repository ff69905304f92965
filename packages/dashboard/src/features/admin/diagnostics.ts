import type { DeepHealth, SettingRow, SystemFacts } from "@svc/client";

interface Known {
  at: Date;
  health: DeepHealth | undefined;
  system: SystemFacts | undefined;
  settings: readonly SettingRow[] | undefined;
}

/** Whether a setting comes from a file or the environment. */
export const isGiven = ({ source }: SettingRow): boolean => source !== "default" && source !== "unset";

/** Facts for support, as JSON: no secrets, no credentials, no path or query of a URL. */
export function diagnosticBundle({ at, health, system, settings }: Known): string {
  return JSON.stringify(
    {
      taken_at: at.toISOString(),
      system: system ?? "not read",
      health: health ?? "not read",
      settings: settings
        ? Object.fromEntries(
            settings
              .filter(isGiven)
              .map((row) => [row.name, { source: row.source, value: row.is_secret ? "***" : withoutUrls(row.value) }]),
          )
        : "not read",
    },
    null,
    2,
  );
}

/** Only the host of each URL: credentials come before it, tokens after it. */
const withoutUrls = (value: string): string =>
  value.replace(/(?<=:\/\/)[^\s",\]]*/g, (rest) => rest.slice(rest.lastIndexOf("@") + 1).split(/[/?#]/, 1)[0] ?? "");
