import { defineCommand, flag, text } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { confirm } from "../terminal/ask.ts";
import { databaseHelp, withAuditLog } from "./open-audit.ts";

export const auditPrune = defineCommand({
  usage: ["audit prune --before DATE [--yes]"],
  options: {
    before: text("DATE", "date, or date and time, such as 2026-01-31 or 2026-01-31T12:00:00Z"),
    yes: flag("do not ask for confirmation"),
  },
  details: [
    "Removes audit rows older than DATE, oldest first, after showing their number. DATE must be in the past.",
    "A row that SVC_AUDIT_RETENTION_BY_CLASS still keeps also keeps all newer rows.",
    databaseHelp,
  ],
  async run({ values: { before: text, yes } }, terminal) {
    if (text === undefined) throw new CliError("usage", "missing --before DATE");
    const { parseInstant } = await import("@svc/brain/audit-log");
    const before = parseInstant(text);
    if (before === null) throw new CliError("usage", `--before must be a date such as 2026-01-31, not "${text}"`);
    // A mistyped year, or a wrong clock, would remove everything.
    if (before.getTime() > Date.now())
      throw new CliError("usage", `--before ${text} is in the future. Use the current time to remove all rows`);
    const removed = await withAuditLog(terminal, async (log) => {
      const counts = await log.count(before);
      const about = `${counts.before} of ${counts.all} audit rows are older than ${before.toISOString()}`;
      if (yes === true) terminal.err(about);
      else if (!(await confirm(`${about}. Remove them? [y/N] `)))
        throw new CliError("refused", `${about}. Nothing was removed. Use --yes to remove them without confirmation`);
      return log.prune({ before, settings: log.settings, onProgress: (rows) => terminal.err(`${rows} rows removed`) });
    });
    terminal.out(`removed ${removed} rows`);
  },
});
