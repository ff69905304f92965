import type { Command, CommandOptions } from "../command-line/command.ts";
import { exitCodes } from "../command-line/exit-codes.ts";
import { readOptions } from "../command-line/options.ts";
import { readPassword } from "../terminal/read-password.ts";
import { counted, passwordVariable, requireEmail, withAccounts } from "./account-rescue.ts";

const options = {
  stdin: { type: "boolean", help: "the password is the first line of standard input" },
  json: { type: "boolean", help: "one JSON document" },
} as const satisfies CommandOptions;

export const changepassword: Command = {
  usage: ["changepassword EMAIL [--stdin] [--json]"],
  options,
  details: [
    `Asks twice for the new password, unless --stdin or ${passwordVariable} gives it. Unlocks the account and ends its sessions, trusted`,
    "devices, API keys and reset links. A second factor stays: svc reset-mfa ends it. Works beside a running service and without one.",
  ],
  async run(args, terminal) {
    const { values, positionals } = readOptions(args, options, { positionals: 1 });
    const email = requireEmail(positionals);
    const changed = await withAccounts(terminal, {}, async (accounts) => {
      const account = await accounts.find(email);
      const password = await readPassword({
        given: process.env[passwordVariable],
        variable: passwordVariable,
        fromStdin: values.stdin === true,
      });
      return accounts.changePassword(account.email, password);
    });
    if (values.json === true) terminal.out(JSON.stringify(changed));
    else {
      const ended = [
        counted(changed.sessions_ended, "session"),
        counted(changed.trusted_devices_ended, "trusted device"),
      ].join(" and ");
      const revoked = counted(changed.api_keys_revoked, "API key");
      terminal.out(`${changed.email} has a new password; ${ended} ended, ${revoked} revoked`);
    }
    if (!changed.is_active) terminal.err(`${changed.email} is deactivated and cannot sign in`);
    return exitCodes.done;
  },
};
