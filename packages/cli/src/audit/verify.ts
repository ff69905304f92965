import type { AuditLog } from "@svc/brain/audit-log";
import { defineCommand, type Terminal, text } from "../command-line/command.ts";
import { CliError, exitCodes } from "../command-line/exit-codes.ts";
import { jsonOption, wholeNumber } from "../command-line/option-values.ts";
import { printResult } from "../terminal/printed.ts";
import { anchorFaults } from "./anchor.ts";
import { readAnchor, whichDatabase, withAuditLog } from "./open-audit.ts";

type Result = Awaited<ReturnType<AuditLog["verify"]>>;

/** Rows between two lines of progress. */
const progressRows = 100_000;

export const auditVerify = defineCommand({
  usage: ["audit verify [--limit N] [--known-head FILE] [--json]"],
  options: {
    limit: text("N", "walk the N oldest rows"),
    "known-head": text("FILE", "hold the chain against an anchor too"),
    ...jsonOption,
  },
  details: ["Walks the chain: 0 clean, 1 failed, 4 when it could not be done.", whichDatabase],
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

function progressTo(terminal: Terminal): (rows: number, of: number) => void {
  let told = 0;
  return (rows, of) => {
    if (rows - told < progressRows) return;
    told = rows;
    terminal.err(`${rows} of ${of} rows`);
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

/** What is wrong, in words; the row is named after them. */
const reasons: Readonly<Record<NonNullable<Result["fault"]>["reason"], string>> = {
  state: "the state row is not what was signed",
  version: "a row is of another version",
  generation: "a row belongs to another generation",
  key: "a row names a key that never signed",
  signature: "a row is not what was signed",
  order: "a row is out of order",
  link: "the row before this one is missing or another",
  after_head: "there is a row behind the head",
  actor: "the user of a row is not the one that was signed, or was removed without being deleted",
  head_missing: "the last row is missing",
  counts: "the number of rows is not the one that was signed",
};

function linesOf({ outcome, fault, rows, isComplete, anchor, anchorFault }: Result): string[] {
  const named = fault?.row_id == null ? "" : ` (row ${fault.row_id} of ${instantOf(fault.occurred_us ?? 0)})`;
  return [
    fault === null
      ? `${outcome}: ${rows} rows${isComplete ? "" : "; what comes behind them was not looked at"}`
      : `failed: ${reasons[fault.reason]}${named}, after ${rows} rows in order`,
    ...(anchor === null
      ? []
      : [`the known head: ${anchor}${anchorFault === null ? "" : `, ${anchorFaults[anchorFault]}`}`]),
  ];
}
