import { readFile } from "node:fs/promises";
import type { AuditLog, HeadAnchor } from "@svc/brain/audit-log";
import type { Terminal } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { explainBrainFault } from "../settings/brain-faults.ts";

/** For the help of every command here. */
export const whichDatabase = "The settings say which database it is; SVC_HOME holds those that a service has minted.";

/** Opens the audit log of the settings, gives it to `work`, and closes it. @throws CliError in words for people */
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

/** Reads the anchor of a file. @throws CliError `notFound`, or `unreachable` when it is no anchor: nothing can be said then */
export async function readAnchor(file: string): Promise<HeadAnchor> {
  const text = await readFile(file, "utf8").catch((cause: Error) => {
    throw new CliError("notFound", `the anchor ${file} cannot be read`, { cause });
  });
  const { parseAnchor } = await import("@svc/brain/audit-log");
  try {
    return parseAnchor(text);
  } catch (cause) {
    throw new CliError("unreachable", `${file} is no anchor: ${(cause as Error).message}`, { cause });
  }
}
