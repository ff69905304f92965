import { readFile } from "node:fs/promises";
import type { AuditLog, HeadAnchor } from "@svc/brain/audit-log";
import type { Terminal } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { explainBrainFault } from "../settings/brain-faults.ts";

/** Part of the help of every audit command. */
export const databaseHelp =
  "Uses the database and secrets of the settings (SVC_HOME contains those that the service created).";

/** Opens the audit log of the settings for `work` and closes it. @throws CliError with a text for the user. */
export async function withAuditLog<T>(
  terminal: Terminal,
  work: (log: AuditLog) => Promise<T>,
  options: { readonly alone?: boolean } = {},
): Promise<T> {
  const { DatabaseInUse, openAuditLog, UnknownChainKey } = await import("@svc/brain/audit-log");
  let log: AuditLog;
  try {
    log = await openAuditLog({ env: process.env }, options);
  } catch (cause) {
    if (cause instanceof DatabaseInUse) throw new CliError("refused", cause.message, { cause });
    const fault = await explainBrainFault(cause, terminal);
    throw fault instanceof CliError ? fault : new CliError("unreachable", (cause as Error).message, { cause });
  }
  try {
    return await work(log);
  } catch (cause) {
    if (cause instanceof UnknownChainKey) throw new CliError("configuration", cause.message, { cause });
    throw cause;
  } finally {
    await log.close();
  }
}

/** Reads an anchor file. @throws CliError `notFound`, or `unreachable` when it is not an anchor. */
export async function readAnchor(file: string): Promise<HeadAnchor> {
  const text = await readFile(file, "utf8").catch((cause: Error) => {
    throw new CliError("notFound", `cannot read the anchor ${file}`, { cause });
  });
  const { parseAnchor } = await import("@svc/brain/audit-log");
  try {
    return parseAnchor(text);
  } catch (cause) {
    throw new CliError("unreachable", `${file} is not an anchor: ${(cause as Error).message}`, { cause });
  }
}
