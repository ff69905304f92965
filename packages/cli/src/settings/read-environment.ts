import type { Terminal } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";

export interface Environment {
  readonly env: Readonly<Record<string, string>>;
  /** The absolute SVC_HOME. */
  readonly home: string;
}

/** The settings of files and environment as they are written. @throws CliError `configuration` for files with faults, all of them told. */
export async function readEnvironment(
  terminal: Terminal,
  sources: { readonly env?: NodeJS.ProcessEnv; readonly readsWorkingFolder?: boolean } = {},
): Promise<Environment> {
  const { asEnvironment, readSettingFiles } = await import("@svc/brain/settings");
  const { ordered, home, faults, warnings } = readSettingFiles(sources);
  for (const warning of warnings) terminal.err(`svc: ${warning}`);
  const words = faults.map(({ name, source, message }) => `${name} (${source}) ${message}`);
  if (words.length > 0) throw new CliError("configuration", words.join("\n     "));
  return { env: asEnvironment(ordered), home };
}
