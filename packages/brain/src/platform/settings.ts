/**
 * Settings: what the features declare (TypeBox objects of SVC_ entries), read once at start from four sources, low to
 * high: SVC_HOME/secret.env, SVC_HOME/config.env, ./.env, the process environment. A blank value counts as not set.
 * Every fault is reported at once; no message holds a value.
 */
import { join } from "node:path";
import type { Static, TObject } from "typebox";
import { parseEnvFile } from "./settings/env-file.ts";
import { homeFault, mintSecrets, openToOthers, readIfPresent, resolveHome, unusableHome } from "./settings/home.ts";
import { ignoredNames, knownNames } from "./settings/known-names.ts";
import { type SettingSchema, settingReader } from "./settings/values.ts";

export interface SettingsFault {
  name: string;
  /** Where the value came from: a file path, `environment` or `default`. */
  source: string;
  message: string;
}

/** Thrown by `loadSettings` with every fault that was found. */
export class SettingsError extends Error {
  readonly faults: readonly SettingsFault[];
  constructor(faults: readonly SettingsFault[]) {
    super(faults.map((fault) => `${fault.name} (${fault.source}) ${fault.message}`).join("\n"));
    this.name = "SettingsError";
    this.faults = faults;
  }
}

/** A rule over several settings; sees defaults in place of values that were refused. */
export type SettingsCheck = (values: Record<string, unknown>, fault: (name: string, message: string) => void) => void;

type Intersection<Union> = (Union extends unknown ? (part: Union) => void : never) extends (whole: infer Whole) => void
  ? Whole
  : never;

/** The values of a list of fragments as one object. */
export type SettingsOf<Fragments extends readonly TObject[]> = Intersection<
  { [Index in keyof Fragments]: Static<Fragments[Index]> }[number]
>;

export interface LoadOptions<Fragments extends readonly TObject[]> {
  fragments: Fragments;
  checks?: readonly SettingsCheck[];
  env?: Readonly<Record<string, string | undefined>>;
  cwd?: string;
  /** False reads only: no directory is made, no secret minted; absent masters are then empty texts. */
  mint?: boolean;
}

export interface LoadedSettings<Values> {
  values: Values;
  /** The absolute SVC_HOME. */
  home: string;
  /** Where each setting came from: a file path, `environment`, `default`, or `unset`. */
  sources: ReadonlyMap<string, string>;
  warnings: readonly string[];
  /** Names that were minted by this call. */
  minted: readonly string[];
  /** Effective settings for people, sorted by name; secrets read `***` unless asked for. */
  rows(options?: { revealSecrets?: boolean }): SettingRow[];
}

export interface SettingRow {
  name: string;
  value: unknown;
  source: string;
  description: string;
}

interface Source {
  name: string;
  values: Map<string, string>;
}

/**
 * Reads, checks and types all settings.
 *
 * @throws SettingsError with every fault: values out of range, unknown SVC_ names in files, broken lines, failed checks.
 */
export function loadSettings<const Fragments extends readonly TObject[]>(
  options: LoadOptions<Fragments>,
): LoadedSettings<SettingsOf<Fragments>> {
  const { env = process.env, cwd = process.cwd() } = options;
  const schemas = mergeFragments(options.fragments);
  const faults: SettingsFault[] = [];
  const warnings: string[] = [];
  const known = (name: string) => schemas.has(name) || knownNames.has(name) || ignoredNames.has(name);

  const environment: Source = { name: "environment", values: new Map() };
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith("SVC_") || value === undefined || value.trim() === "") continue;
    if (known(name)) environment.values.set(name, value);
    else warnings.push(`${name} in the environment is not a known setting`);
  }
  const dotEnv = readFileSource(join(cwd, ".env"), known, faults);
  const home = resolveHome(environment.values.get("SVC_HOME") ?? dotEnv.values.get("SVC_HOME"), cwd);
  const misplaced = homeFault(home);
  const readInHome = (name: string, repeated?: Repeated): Source =>
    misplaced === null
      ? readFileSource(join(home, name), known, faults, repeated)
      : { name: join(home, name), values: new Map() };
  const config = readInHome("config.env");
  let secrets = readInHome("secret.env", "first line counts");
  for (const { name, values } of [config, secrets]) {
    if (values.delete("SVC_HOME"))
      faults.push({ name: "SVC_HOME", source: name, message: "cannot be set inside SVC_HOME" });
  }

  const ordered = () => [environment, dotEnv, config, secrets];
  let loaded = readValues(schemas, ordered(), home);
  const homeSource = loaded.sources.get("SVC_HOME") ?? "default";
  if (misplaced !== null) faults.push({ name: "SVC_HOME", source: homeSource, message: misplaced });
  faults.push(...loaded.faults);
  for (const check of options.checks ?? []) {
    check(loaded.values, (name, message) =>
      faults.push({ name, source: loaded.sources.get(name) ?? "default", message }),
    );
  }
  if (faults.length > 0) throw new SettingsError(faults);

  const minted = [...schemas]
    .filter(([name, schema]) => schema.minted && loaded.values[name] === "")
    .map(([name]) => name);
  if (options.mint !== false) {
    try {
      mintSecrets(home, minted);
      secrets = readInHome("secret.env", "first line counts");
    } catch (error) {
      const message = unusableHome(home, error);
      throw new SettingsError([{ name: "SVC_HOME", source: homeSource, message }]);
    }
    loaded = readValues(schemas, ordered(), home);
    if (loaded.faults.length > 0) throw new SettingsError(loaded.faults);
    warnings.push(...openToOthers(home));
  }
  return {
    values: loaded.values as SettingsOf<Fragments>,
    home,
    sources: loaded.sources,
    warnings,
    minted: options.mint === false ? [] : minted,
    rows: (show) => rowsOf(schemas, loaded, show?.revealSecrets === true),
  };
}

/** All entries of the fragments by name, for start and for docs/configuration.md. A name declared twice is a mistake. */
export function mergeFragments(fragments: readonly TObject[]): Map<string, SettingSchema> {
  const schemas = new Map<string, SettingSchema>();
  for (const fragment of fragments) {
    for (const [name, schema] of Object.entries(fragment.properties)) {
      if (schemas.has(name)) throw new Error(`setting ${name} is declared by two features`);
      schemas.set(name, schema as SettingSchema);
    }
  }
  return schemas;
}

type Repeated = "is a fault" | "first line counts";

function readFileSource(
  path: string,
  known: (name: string) => boolean,
  faults: SettingsFault[],
  repeated: Repeated = "is a fault",
): Source {
  const source: Source = { name: path, values: new Map() };
  let text: string | null;
  try {
    text = readIfPresent(path);
  } catch (error) {
    faults.push({ name: "file", source: path, message: `cannot be read (${(error as NodeJS.ErrnoException).code})` });
    return source;
  }
  const file = parseEnvFile(text ?? "");
  for (const fault of file.faults) faults.push({ name: `line ${fault.line}`, source: path, message: fault.message });
  for (const { name, value } of file.entries) {
    if (!name.startsWith("SVC_")) continue;
    if (!known(name)) faults.push({ name, source: path, message: "is not a known setting" });
    else if (!source.values.has(name)) source.values.set(name, value);
    else if (repeated === "is a fault") faults.push({ name, source: path, message: "is set twice" });
  }
  return source;
}

interface ReadSettings {
  values: Record<string, unknown>;
  sources: Map<string, string>;
  faults: SettingsFault[];
}

function readValues(schemas: Map<string, SettingSchema>, sources: readonly Source[], home: string): ReadSettings {
  const result: ReadSettings = { values: {}, sources: new Map(), faults: [] };
  for (const [name, schema] of schemas) {
    const source = sources.find(({ values }) => (values.get(name) ?? "").trim() !== "");
    const read = source === undefined ? null : settingReader(schema)(source.values.get(name)!);
    if (read?.ok === true) {
      result.values[name] = name === "SVC_HOME" ? home : read.value;
      result.sources.set(name, source!.name);
      continue;
    }
    if (read !== null) result.faults.push({ name, source: source!.name, message: read.message });
    const fallback = name === "SVC_HOME" ? home : defaultOf(schema, home);
    if (fallback !== undefined) result.values[name] = fallback;
    result.sources.set(name, source?.name ?? (fallback === undefined || fallback === "" ? "unset" : "default"));
  }
  return result;
}

function defaultOf(schema: SettingSchema, home: string): unknown {
  if (schema.minted === true) return "";
  return typeof schema.default === "string" ? schema.default.replace("$HOME", home) : structuredClone(schema.default);
}

const secretWords = /SECRET|PASSWORD|TOKEN|PRIVATE_KEY|_DSN$|MAIL_URL$|DATABASE_URL$/;

function rowsOf(schemas: Map<string, SettingSchema>, loaded: ReadSettings, revealSecrets: boolean): SettingRow[] {
  return [...schemas]
    .map(([name, schema]) => {
      const value = loaded.values[name] ?? null;
      const isHidden =
        !revealSecrets &&
        (schema.secret === true || secretWords.test(name)) &&
        typeof value !== "number" &&
        typeof value !== "boolean";
      const isEmpty = value === null || value === "" || (Array.isArray(value) && value.length === 0);
      return {
        name,
        value: isHidden && !isEmpty ? "***" : value,
        source: loaded.sources.get(name) ?? "unset",
        description: schema.description ?? "",
      };
    })
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}
