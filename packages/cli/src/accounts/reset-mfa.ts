import type { Command, CommandOptions } from "../command-line/command.ts";
import { exitCodes } from "../command-line/exit-codes.ts";
import { readOptions } from "../command-line/options.ts";
import { counted, requireEmail, withAccounts } from "./account-rescue.ts";

const options = {
  json: { type: "boolean", help: "one JSON document" },
} as const satisfies CommandOptions;

export const resetMfa: Command = {
  usage: ["reset-mfa EMAIL [--json]"],
  options,
  details: [
    "Ends the second factor of an account, with its recovery codes, its trusted devices and the lock after wrong codes, and revokes its API",
    "keys. The password stays.",
    "Where a second factor is enforced, the delay for setting one up goes on as it was. Works beside a running service and without one.",
  ],
  async run(args, terminal) {
    const { values, positionals } = readOptions(args, options, { positionals: 1 });
    const email = requireEmail(positionals);
    const account = await withAccounts(terminal, {}, (accounts) => accounts.resetMfa(email));
    const revoked = counted(account.api_keys_revoked, "API key");
    const done = `${account.email} no longer has a second factor; ${revoked} revoked`;
    terminal.out(values.json === true ? JSON.stringify(account) : done);
    return exitCodes.done;
  },
};
