/**
 * Settings: what the features declare (TypeBox objects of SVC_ entries), read once at start from four sources, low to
 * high: SVC_HOME/secret.env, SVC_HOME/config.env, ./.env, the process environment. A blank value counts as not set.
 * Every fault is reported at once; no message holds a value.
 */
import type { Static, TObject } from "typebox";
import { secureHome } from "./settings/file-modes.ts";
import { mintSecrets, unusableHome } from "./settings/home.ts";
import { firstValue, readSources, type SettingsFault, type Source } from "./settings/sources.ts";
import { type SettingSchema, settingReader } from "./settings/values.ts";

export type { SettingsFault };

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
  /** Names that other programs read from the same sources. */
  alsoKnown?: ReadonlySet<string>;
  env?: Readonly<Record<string, string | undefined>>;
  cwd?: string;
  /** False reads only: no directory is made, no mode corrected, no secret minted; absent masters are then empty texts. */
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
  /** Its value is hidden unless requested. */
  is_secret: boolean;
  description: string;
}

/**
 * Reads, checks and types all settings.
 *
 * @throws SettingsError with every fault: values out of range, unknown SVC_ names in files, broken lines, failed checks.
 */
export function loadSettings<const Fragments extends readonly TObject[]>(
  options: LoadOptions<Fragments>,
): LoadedSettings<SettingsOf<Fragments>> {
  const schemas = mergeFragments(options.fragments);
  const { env, cwd } = options;
  const known = new Set([...schemas.keys(), ...(options.alsoKnown ?? [])]);
  const read = () => readSources({ ...(env && { env }), ...(cwd && { cwd }), known });
  const { ordered, home, faults, warnings } = read();
  let loaded = readValues(schemas, ordered, home);
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
    warnings.push(...secureHome(home));
    try {
      mintSecrets(home, minted);
    } catch (error) {
      const message = unusableHome(home, error);
      throw new SettingsError([{ name: "SVC_HOME", source: loaded.sources.get("SVC_HOME") ?? "default", message }]);
    }
    const again = read();
    if (again.faults.length > 0) throw new SettingsError(again.faults);
    loaded = readValues(schemas, again.ordered, home);
    if (loaded.faults.length > 0) throw new SettingsError(loaded.faults);
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

/** All entries of the fragments by name, for start and for docs/reference/configuration.md. A name declared twice is a mistake. */
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

interface ReadSettings {
  values: Record<string, unknown>;
  sources: Map<string, string>;
  faults: SettingsFault[];
}

function readValues(schemas: Map<string, SettingSchema>, sources: readonly Source[], home: string): ReadSettings {
  const result: ReadSettings = { values: {}, sources: new Map(), faults: [] };
  for (const [name, schema] of schemas) {
    const found = firstValue(sources, name);
    const source = found?.source;
    const read = found === undefined ? null : settingReader(schema)(found.value);
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
      const isSecret =
        (schema.secret === true || secretWords.test(name)) && typeof value !== "number" && typeof value !== "boolean";
      const isEmpty = value === null || value === "" || (Array.isArray(value) && value.length === 0);
      return {
        name,
        value: isSecret && !revealSecrets && !isEmpty ? "***" : value,
        source: loaded.sources.get(name) ?? "unset",
        is_secret: isSecret,
        description: schema.description ?? "",
      };
    })
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}
