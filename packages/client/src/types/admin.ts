export interface SettingRow {
  name: string;
  /** Lists and objects as JSON, an absent value as an empty text, secrets as `***`. */
  value: string;
  /** A file path, `environment`, `default` or `unset`. */
  source: string;
  is_secret: boolean;
  description: string;
}

export interface InstanceSettings {
  svc_home: string;
  settings: SettingRow[];
}

export interface KnownVersions {
  /** Name to latest known version. */
  packages: Record<string, string>;
  schema_version: number;
  generated_at: string | null;
  generated_by: string;
  canonical_url: string | null;
  source: "bundled" | "remote";
  fetched_at: string | null;
  fetched_from: string | null;
  /** Null when the check is switched off. */
  check_for_updates_url: string | null;
}
