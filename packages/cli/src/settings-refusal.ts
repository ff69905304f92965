import type { SettingsError } from "@svc/brain";
import type { Terminal } from "./command.ts";
import { CliError } from "./exit-codes.ts";

/** The refusal of bad settings: one fault in its line, several each in one of their own before it. */
export function settingsRefusal(cause: SettingsError, terminal: Terminal): CliError {
  const faults = cause.faults.map(({ name, source, message }) => `${name} (${source}) ${message}`);
  if (faults.length === 1) return new CliError("configuration", faults.join(), { cause });
  for (const fault of faults) terminal.err(fault);
  return new CliError("configuration", "the settings are not valid", { cause });
}
