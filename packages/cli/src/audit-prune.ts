import { confirms } from "./ask.ts";
import type { Command, CommandOptions } from "./command.ts";
import { CliError, exitCodes } from "./exit-codes.ts";
import { whichDatabase, withAuditLog } from "./open-audit.ts";
import { readOptions } from "./options.ts";

const options = {
  before: { type: "string", value: "DATE", help: "an instant: 2026-01-31 or 2026-01-31T12:00:00Z" },
  yes: { type: "boolean", help: "without asking first" },
} as const satisfies CommandOptions;

export const auditPrune: Command = {
  usage: ["audit prune --before DATE [--yes]"],
  options,
  details: ["Removes the rows before an instant.", whichDatabase],
  async run(args, terminal) {
    const { values } = readOptions(args, options);
    if (values.before === undefined) throw new CliError("usage", "audit prune needs --before DATE");
    const { parseInstant } = await import("@svc/brain/audit-log");
    const before = parseInstant(values.before);
    if (before === null) throw new CliError("usage", `--before is a date such as 2026-01-31, not "${values.before}"`);
    if (values.yes !== true && !(await confirms(`Remove all audit rows before ${before.toISOString()}? [y/N] `)))
      throw new CliError("refused", "nothing was removed; --yes removes without asking");
    const removed = await withAuditLog(terminal, (log) =>
      log.prune({ before, settings: log.settings, onProgress: (rows) => terminal.err(`${rows} rows removed`) }),
    );
    terminal.out(`removed ${removed} rows`);
    return exitCodes.done;
  },
};
