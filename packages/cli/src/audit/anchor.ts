import type { AnchorFault } from "@svc/brain/audit-log";
import { defineCommand } from "../command-line/command.ts";
import { CliError, exitCodes } from "../command-line/exit-codes.ts";
import { jsonOption } from "../command-line/option-values.ts";
import { replaceFile } from "../replace-file.ts";
import { printResult } from "../terminal/printed.ts";
import { databaseHelp, readAnchor, withAuditLog } from "./open-audit.ts";

export const auditExportHead = defineCommand({
  usage: ["audit export-head [FILE]"],
  details: ["Writes the head of the chain as an anchor to FILE or standard output.", databaseHelp],
  positionals: 1,
  async run({ positionals: [file] }, terminal) {
    const text = await withAuditLog(terminal, (log) => log.head());
    if (text === null) throw new CliError("failed", "the audit chain is empty");
    if (file === undefined) terminal.out(text.trimEnd());
    else {
      // Group-readable, for a program that collects anchors.
      await replaceFile(file, text, 0o640).catch((cause: Error) => {
        throw new CliError("failed", `cannot write ${file}`, { cause });
      });
      terminal.err(`wrote the head to ${file}`);
    }
  },
});

export const auditVerifyAnchor = defineCommand({
  usage: ["audit verify-anchor FILE [--json]"],
  options: jsonOption,
  details: [
    "Exits with 0 for CURRENT_MATCH and VERIFIED_ANCESTOR, 1 for UNPROVABLE, and 3, 4 or 5 when it could not be verified.",
    databaseHelp,
  ],
  positionals: 1,
  async run({ values, positionals: [file] }, terminal) {
    if (file === undefined) throw new CliError("usage", "missing FILE of the anchor");
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

/** The meaning of each reason. */
export const anchorFaults: Readonly<Record<AnchorFault, string>> = {
  state: "the state row has an invalid signature",
  generation: "the anchor belongs to another chain, because the chain was restarted",
  row_missing: "the anchored row was deleted",
  row_altered: "the anchored row was changed",
  row_differs: "the row with the anchor's id has different values",
  head_missing: "the last row of the chain was deleted",
  head_altered: "the last row of the chain was changed",
  newer_than_head: "the chain ends before the anchor: an older copy of the database was restored, or rows were cut off",
  row_count: "the number of rows differs from the signed number. svc audit verify shows where",
  chain: "the chain does not match its signatures",
};
