import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import type { AnchorFault } from "@svc/brain/audit-log";
import type { Command, CommandOptions } from "../command-line/command.ts";
import { CliError, exitCodes } from "../command-line/exit-codes.ts";
import { readOptions } from "../command-line/options.ts";
import { readAnchor, whichDatabase, withAuditLog } from "./open-audit.ts";

export const auditExportHead: Command = {
  usage: ["audit export-head [FILE]"],
  details: ["Writes the head of the chain as an anchor to FILE, or to standard output.", whichDatabase],
  async run(args, terminal) {
    const { positionals } = readOptions(args, {}, { positionals: 1 });
    const text = await withAuditLog(terminal, (log) => log.head());
    if (text === null) throw new CliError("failed", "the chain has no head yet");
    const [file] = positionals;
    if (file === undefined) terminal.out(text.trimEnd());
    else {
      await replaceFile(file, text);
      terminal.err(`the head is in ${file}`);
    }
    return exitCodes.done;
  },
};

const verifyOptions = {
  json: { type: "boolean", help: "one JSON document" },
} as const satisfies CommandOptions;

export const auditVerifyAnchor: Command = {
  usage: ["audit verify-anchor FILE [--json]"],
  options: verifyOptions,
  details: ["Ends with 0 for CURRENT_MATCH and VERIFIED_ANCESTOR, with 1 for UNPROVABLE.", whichDatabase],
  async run(args, terminal) {
    const { positionals, values } = readOptions(args, verifyOptions, { positionals: 1 });
    const [file] = positionals;
    if (file === undefined) throw new CliError("usage", "audit verify-anchor needs the FILE of an anchor");
    const anchor = await readAnchor(file);
    const { verdict, reason } = await withAuditLog(terminal, (log) =>
      log.verifyAnchor(anchor).catch((cause: Error) => {
        throw new CliError("unreachable", cause.message, { cause });
      }),
    );
    terminal.out(values.json ? JSON.stringify({ verdict, ...(reason !== null && { reason }) }) : verdict);
    if (reason !== null && !values.json) terminal.err(anchorFaults[reason]);
    return verdict === "UNPROVABLE" ? exitCodes.failed : exitCodes.done;
  },
};

/** What each reason means. */
export const anchorFaults: Readonly<Record<AnchorFault, string>> = {
  state: "the state row does not authenticate",
  generation: "the anchor belongs to another chain: the chain was started anew",
  row_missing: "the anchored row was deleted",
  row_altered: "the anchored row was changed",
  row_differs: "the row with the anchor's id has other values",
  head_missing: "the last row of the chain was deleted",
  head_altered: "the last row of the chain was changed",
  newer_than_head:
    "the chain ends before the anchor: an older copy of the database was restored, or its end was cut off",
  row_count: "the number of rows is not the one that was signed; svc audit verify names the place",
  chain: "the chain is not what was signed",
};

/** Whoever reads the file sees the old text or the new one, never a part. */
async function replaceFile(file: string, text: string): Promise<void> {
  const fresh = `${file}.${randomUUID()}.tmp`;
  try {
    {
      await using file = await open(fresh, "wx", 0o600);
      await file.writeFile(text);
      // A program that collects anchors reads them by its group; the umask would take that away.
      await file.chmod(0o640);
      await file.sync();
    }
    await rename(fresh, file);
  } catch (cause) {
    await rm(fresh, { force: true });
    throw new CliError("failed", `${file} cannot be written`, { cause });
  }
}
