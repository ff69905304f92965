import type { Command, CommandOptions } from "../command-line/command.ts";
import { CliError, exitCodes } from "../command-line/exit-codes.ts";
import { readOptions } from "../command-line/options.ts";
import { confirms } from "../terminal/ask.ts";
import { whichDatabase, withAuditLog } from "./open-audit.ts";

const options = {
  before: { type: "string", value: "DATE", help: "an instant: 2026-01-31 or 2026-01-31T12:00:00Z" },
  yes: { type: "boolean", help: "without asking first" },
} as const satisfies CommandOptions;

export const auditPrune: Command = {
  usage: ["audit prune --before DATE [--yes]"],
  options,
  details: [
    "Removes the rows before an instant, which must not lie in the future, after naming how many there are.",
    "Classes with days of their own (SVC_AUDIT_RETENTION_BY_CLASS) keep their rows for that long.",
    whichDatabase,
  ],
  async run(args, terminal) {
    const { values } = readOptions(args, options);
    if (values.before === undefined) throw new CliError("usage", "audit prune needs --before DATE");
    const { parseInstant } = await import("@svc/brain/audit-log");
    const before = parseInstant(values.before);
    if (before === null) throw new CliError("usage", `--before is a date such as 2026-01-31, not "${values.before}"`);
    // A date that is mistyped by a century, or typed on a machine whose clock is wrong, would remove everything.
    if (before.getTime() > Date.now())
      throw new CliError(
        "usage",
        `--before ${values.before} is in the future; give the current time to remove every row`,
      );
    const removed = await withAuditLog(terminal, async (log) => {
      const counts = await log.count(before);
      const about = `${counts.before} of ${counts.all} audit rows are from before ${before.toISOString()}`;
      if (values.yes === true) terminal.err(about);
      else if (!(await confirms(`${about}. Remove them? [y/N] `)))
        throw new CliError("refused", `${about}; nothing was removed. --yes removes without asking`);
      return log.prune({ before, settings: log.settings, onProgress: (rows) => terminal.err(`${rows} rows removed`) });
    });
    terminal.out(`removed ${removed} rows`);
    return exitCodes.done;
  },
};
