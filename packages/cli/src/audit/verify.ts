import type { AuditLog } from "@svc/brain/audit-log";
import { defineCommand, type Terminal, text } from "../command-line/command.ts";
import { CliError, exitCodes } from "../command-line/exit-codes.ts";
import { jsonOption, wholeNumber } from "../command-line/option-values.ts";
import { printResult } from "../terminal/printed.ts";
import { anchorFaults } from "./anchor.ts";
import { databaseHelp, readAnchor, withAuditLog } from "./open-audit.ts";

type Result = Awaited<ReturnType<AuditLog["verify"]>>;

/** Rows between two progress lines. */
const progressRows = 100_000;

export const auditVerify = defineCommand({
  usage: ["audit verify [--limit N] [--known-head FILE] [--json]"],
  options: {
    limit: text("N", "verify only the N oldest rows"),
    "known-head": text("FILE", "also verify the chain against the anchor in FILE"),
    ...jsonOption,
  },
  details: [
    "Exits with 0 when the chain is clean, 1 when it failed, and 3, 4 or 5 when it could not be verified.",
    databaseHelp,
  ],
  async run({ values }, terminal) {
    const limit =
      values.limit === undefined ? undefined : wholeNumber("limit", values.limit, { min: 1, max: 999_999_999 });
    try {
      const file = values["known-head"];
      const anchor = file === undefined ? undefined : await readAnchor(file);
      const result = await withAuditLog(terminal, (log) =>
        log.verify({ limit, anchor, onProgress: progressTo(terminal) }),
      );
      printResult(terminal, values, documentOf(result), linesOf(result));
      return result.outcome === "clean" && result.anchor !== "UNPROVABLE" ? exitCodes.done : exitCodes.failed;
    } catch (cause) {
      const { message } = cause as Error;
      if (values.json) terminal.out(JSON.stringify({ outcome: "error", message }));
      if (cause instanceof CliError) throw cause;
      throw new CliError("unreachable", message, { cause });
    }
  },
});

function progressTo(terminal: Terminal): (rows: number, total: number) => void {
  let reported = 0;
  return (rows, total) => {
    if (rows - reported < progressRows) return;
    reported = rows;
    terminal.err(`${rows} of ${total} rows`);
  };
}

const instantOf = (micros: number) => new Date(Math.floor(micros / 1000)).toISOString();

function documentOf({ outcome, fault, rows, isComplete, state, anchor, anchorFault }: Result) {
  return {
    outcome,
    rows_verified: rows,
    complete: isComplete,
    fault: fault && {
      reason: fault.reason,
      row_id: fault.row_id,
      occurred_at: fault.occurred_us === null ? null : instantOf(fault.occurred_us),
    },
    generation: state?.generation ?? null,
    head_id: state?.head?.id ?? null,
    prune_id: state?.prune?.id ?? null,
    anchor,
    ...(anchorFault !== null && { anchor_fault: anchorFault }),
  };
}

/** The text for each reason. The row follows it. */
const reasons: Readonly<Record<NonNullable<Result["fault"]>["reason"], string>> = {
  state: "the state row does not match its signature",
  version: "a row has an unsupported format version",
  generation: "a row belongs to another generation of the chain",
  key: "a row was signed with an unknown key",
  signature: "a row does not match its signature",
  order: "a row is out of order",
  link: "the previous row is missing or different",
  after_head: "a row follows the head",
  actor: "the user of a row differs from the signed one, or was removed without an audit row",
  head_missing: "the last row is missing",
  counts: "the number of rows differs from the signed number",
};

function linesOf({ outcome, fault, rows, isComplete, anchor, anchorFault }: Result): string[] {
  const named = fault?.row_id == null ? "" : ` (row ${fault.row_id} of ${instantOf(fault.occurred_us ?? 0)})`;
  return [
    fault === null
      ? `${outcome}: ${rows} rows${isComplete ? "" : ", later rows were not verified"}`
      : `failed: ${reasons[fault.reason]}${named}, after ${rows} valid rows`,
    ...(anchor === null
      ? []
      : [`known head: ${anchor}${anchorFault === null ? "" : `, ${anchorFaults[anchorFault]}`}`]),
  ];
}
