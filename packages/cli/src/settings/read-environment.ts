import type { Terminal } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";

export interface Environment {
  readonly env: Readonly<Record<string, string>>;
  /** The absolute SVC_HOME. */
  readonly home: string;
}

/** The settings of files and environment as written. @throws CliError `configuration` listing every invalid line of the files. */
export async function readEnvironment(
  terminal: Terminal,
  sources: { readonly env?: NodeJS.ProcessEnv; readonly readsWorkingFolder?: boolean } = {},
): Promise<Environment> {
  const { asEnvironment, readSettingFiles } = await import("@svc/brain/settings");
  const { ordered, home, faults, warnings } = readSettingFiles(sources);
  for (const warning of warnings) terminal.err(`svc: ${warning}`);
  const lines = faults.map(({ name, source, message }) => `${name} (${source}) ${message}`);
  if (lines.length > 0) throw new CliError("configuration", lines.join("\n     "));
  return { env: asEnvironment(ordered), home };
}
