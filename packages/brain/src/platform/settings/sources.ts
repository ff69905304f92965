/**
 * Where settings are written, low to high: SVC_HOME/secret.env, SVC_HOME/config.env, ./.env, the process environment. A blank value
 * counts as not set. An agent reads the same sources as the brain.
 */
import { join } from "node:path";
import { nearest } from "@svc/protocol";
import { parseEnvFile } from "./env-file.ts";
import { homeFault, readIfPresent, resolveHome } from "./home.ts";

export { secureHome } from "./file-modes.ts";

export interface SettingsFault {
  name: string;
  /** Where the value came from: a file path, `environment` or `default`. */
  source: string;
  message: string;
}

export interface Source {
  name: string;
  values: Map<string, string>;
}

export interface Sources {
  /** High to low. */
  ordered: Source[];
  /** The absolute SVC_HOME. */
  home: string;
  faults: SettingsFault[];
  warnings: string[];
}

export interface SourceOptions {
  env?: Readonly<Record<string, string | undefined>>;
  cwd?: string;
  /** The names that are settings. */
  known: ReadonlySet<string>;
  /** False ignores ./.env, for commands whose settings must not depend on the current folder. */
  readsWorkingFolder?: boolean;
}

/** Reads the four sources. Faults are broken lines, unknown SVC_ names in files, and files that cannot be read. No message contains a value. */
export function readSources({
  env = process.env,
  cwd = process.cwd(),
  known,
  readsWorkingFolder = true,
}: SourceOptions): Sources {
  const faults: SettingsFault[] = [];
  const warnings: string[] = [];
  const environment: Source = { name: "environment", values: new Map() };
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith("SVC_") || value === undefined || value.trim() === "") continue;
    if (known.has(name)) environment.values.set(name, value);
    else warnings.push(`${name} in the environment ${unknownSetting(name, known)}`);
  }
  const dotEnvPath = join(cwd, ".env");
  const dotEnv = readsWorkingFolder
    ? readFileSource(dotEnvPath, known, faults)
    : { name: dotEnvPath, values: new Map<string, string>() };
  const givenHome = firstValue([environment, dotEnv], "SVC_HOME");
  const home = resolveHome(givenHome?.value, cwd);
  const misplaced = homeFault(home);
  const readInHome = (name: string, repeated?: Repeated): Source =>
    misplaced === null
      ? readFileSource(join(home, name), known, faults, repeated)
      : { name: join(home, name), values: new Map() };
  const config = readInHome("config.env");
  const secrets = readInHome("secret.env", "first line counts");
  for (const { name, values } of [config, secrets]) {
    if (values.delete("SVC_HOME"))
      faults.push({ name: "SVC_HOME", source: name, message: "cannot be set inside SVC_HOME" });
  }
  if (misplaced !== null) {
    faults.push({ name: "SVC_HOME", source: givenHome?.source.name ?? "default", message: misplaced });
  }
  return { ordered: [environment, dotEnv, config, secrets], home, faults, warnings };
}

/** The effective value of a name and its source. */
export function firstValue(ordered: readonly Source[], name: string): { value: string; source: Source } | undefined {
  for (const source of ordered) {
    const value = source.values.get(name);
    if (value !== undefined && value.trim() !== "") return { value, source };
  }
  return undefined;
}

/** Every effective value by name, in the form of an environment. */
export function asEnvironment(ordered: readonly Source[]): Record<string, string> {
  const names = new Set(ordered.flatMap(({ values }) => [...values.keys()]));
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const found = firstValue(ordered, name);
      return found === undefined ? [] : [[name, found.value]];
    }),
  );
}

type Repeated = "is a fault" | "first line counts";

function readFileSource(
  path: string,
  known: ReadonlySet<string>,
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
    if (!known.has(name)) faults.push({ name, source: path, message: unknownSetting(name, known) });
    else if (!source.values.has(name)) source.values.set(name, value);
    else if (repeated === "is a fault") faults.push({ name, source: path, message: "is set twice" });
  }
  return source;
}

function unknownSetting(name: string, known: ReadonlySet<string>): string {
  const near = nearest(name, [...known]);
  return near === null ? "is not a known setting" : `is not a known setting; did you mean ${near}?`;
}
