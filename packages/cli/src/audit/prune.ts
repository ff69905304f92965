import { defineCommand, flag, text } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { confirms } from "../terminal/ask.ts";
import { whichDatabase, withAuditLog } from "./open-audit.ts";

export const auditPrune = defineCommand({
  usage: ["audit prune --before DATE [--yes]"],
  options: {
    before: text("DATE", "an instant: 2026-01-31 or 2026-01-31T12:00:00Z"),
    yes: flag("without asking first"),
  },
  details: [
    "Removes the rows before an instant, which must not lie in the future, after naming how many there are.",
    "Classes with days of their own (SVC_AUDIT_RETENTION_BY_CLASS) keep their rows for that long.",
    whichDatabase,
  ],
  async run({ values: { before: text, yes } }, terminal) {
    if (text === undefined) throw new CliError("usage", "audit prune needs --before DATE");
    const { parseInstant } = await import("@svc/brain/audit-log");
    const before = parseInstant(text);
    if (before === null) throw new CliError("usage", `--before is a date such as 2026-01-31, not "${text}"`);
    // A date that is mistyped by a century, or typed on a machine whose clock is wrong, would remove everything.
    if (before.getTime() > Date.now())
      throw new CliError("usage", `--before ${text} is in the future; give the current time to remove every row`);
    const removed = await withAuditLog(terminal, async (log) => {
      const counts = await log.count(before);
      const about = `${counts.before} of ${counts.all} audit rows are from before ${before.toISOString()}`;
      if (yes === true) terminal.err(about);
      else if (!(await confirms(`${about}. Remove them? [y/N] `)))
        throw new CliError("refused", `${about}; nothing was removed. --yes removes without asking`);
      return log.prune({ before, settings: log.settings, onProgress: (rows) => terminal.err(`${rows} rows removed`) });
    });
    terminal.out(`removed ${removed} rows`);
  },
});
