import { readFile } from "node:fs/promises";
import type { AuditLog, HeadAnchor } from "@svc/brain/audit-log";
import type { Terminal } from "./command.ts";
import { CliError } from "./exit-codes.ts";
import { settingsRefusal } from "./settings-refusal.ts";

/** Opens the audit log of the settings, gives it to `work`, and closes it. @throws CliError in words for people */
export async function withAuditLog<T>(
  terminal: Terminal,
  work: (log: AuditLog) => Promise<T>,
  options: { readonly alone?: boolean } = {},
): Promise<T> {
  const [{ DatabaseInUse, openAuditLog, UnknownChainKey }, { DatabaseUnreachable }, { SettingsError }] =
    await Promise.all([import("@svc/brain/audit-log"), import("@svc/brain/storage"), import("@svc/brain")]);
  let log: AuditLog;
  try {
    log = await openAuditLog({ env: process.env }, options);
  } catch (cause) {
    if (cause instanceof SettingsError) throw settingsRefusal(cause, terminal);
    if (cause instanceof DatabaseUnreachable) throw new CliError("unreachable", cause.message, { cause });
    if (cause instanceof DatabaseInUse) throw new CliError("refused", cause.message, { cause });
    throw new CliError("unreachable", (cause as Error).message, { cause });
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
