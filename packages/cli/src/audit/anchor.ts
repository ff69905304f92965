import type { AnchorFault } from "@svc/brain/audit-log";
import { defineCommand } from "../command-line/command.ts";
import { CliError, exitCodes } from "../command-line/exit-codes.ts";
import { jsonOption } from "../command-line/option-values.ts";
import { replaceFile } from "../replace-file.ts";
import { printResult } from "../terminal/printed.ts";
import { readAnchor, whichDatabase, withAuditLog } from "./open-audit.ts";

export const auditExportHead = defineCommand({
  usage: ["audit export-head [FILE]"],
  details: ["Writes the head of the chain as an anchor to FILE, or to standard output.", whichDatabase],
  positionals: 1,
  async run({ positionals: [file] }, terminal) {
    const text = await withAuditLog(terminal, (log) => log.head());
    if (text === null) throw new CliError("failed", "the chain has no head yet");
    if (file === undefined) terminal.out(text.trimEnd());
    else {
      // A program that collects anchors reads them by its group.
      await replaceFile(file, text, 0o640).catch((cause: Error) => {
        throw new CliError("failed", `${file} cannot be written`, { cause });
      });
      terminal.err(`the head is in ${file}`);
    }
  },
});

export const auditVerifyAnchor = defineCommand({
  usage: ["audit verify-anchor FILE [--json]"],
  options: jsonOption,
  details: ["Ends with 0 for CURRENT_MATCH and VERIFIED_ANCESTOR, with 1 for UNPROVABLE.", whichDatabase],
  positionals: 1,
  async run({ values, positionals: [file] }, terminal) {
    if (file === undefined) throw new CliError("usage", "audit verify-anchor needs the FILE of an anchor");
    const anchor = await readAnchor(file);
    const { verdict, reason } = await withAuditLog(terminal, (log) =>
      log.verifyAnchor(anchor).catch((cause: Error) => {
        throw new CliError("unreachable", cause.message, { cause });
      }),
    );
    printResult(terminal, values, { verdict, ...(reason !== null && { reason }) }, [verdict]);
    if (reason !== null && !values.json) terminal.err(anchorFaults[reason]);
    return verdict === "UNPROVABLE" ? exitCodes.failed : exitCodes.done;
  },
});

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
