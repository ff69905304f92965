import type { Terminal } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";

/**
 * Converts errors of settings and database to a CliError with a text for the user. Lists all invalid settings. Returns any other error
 * unchanged.
 */
export async function explainBrainFault(cause: unknown, terminal: Terminal): Promise<unknown> {
  const [{ SettingsError }, { DatabaseUnreachable, SchemaMismatch }] = await Promise.all([
    import("@svc/brain"),
    import("@svc/brain/storage"),
  ]);
  if (cause instanceof DatabaseUnreachable || cause instanceof SchemaMismatch)
    return new CliError("unreachable", cause.message, { cause });
  if (!(cause instanceof SettingsError)) return cause;
  const faults = cause.faults.map(({ name, source, message }) => `${name} (${source}) ${message}`);
  if (faults.length === 1) return new CliError("configuration", faults.join(), { cause });
  for (const fault of faults) terminal.err(fault);
  return new CliError("configuration", "invalid settings", { cause });
}
