import { readSources, type SourceOptions, type Sources } from "../../platform/settings/sources.ts";
import { knownSettingNames } from "./known-names.ts";

export { asEnvironment, secureHome } from "../../platform/settings/sources.ts";

/** Reads the sources that the brain, agents and commands share; see `readSources`. */
export const readSettingFiles = (options: Omit<SourceOptions, "known"> = {}): Sources =>
  readSources({ ...options, known: knownSettingNames });
