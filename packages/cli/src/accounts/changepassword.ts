import { plural } from "@svc/client";
import { defineCommand, flag } from "../command-line/command.ts";
import { jsonOption, requireWord } from "../command-line/option-values.ts";
import { printResult } from "../terminal/printed.ts";
import { readPassword } from "../terminal/read-password.ts";
import { passwordVariable, withAccounts } from "./account-rescue.ts";

export const changepassword = defineCommand({
  usage: ["changepassword EMAIL [--stdin] [--json]"],
  options: {
    stdin: flag("read the password from the first line of standard input"),
    ...jsonOption,
  },
  details: [
    `Asks twice for the new password, unless --stdin or ${passwordVariable} provides it. Unlocks the account and ends its sessions, trusted`,
    "devices, API keys and reset links. Keeps the second factor (see svc reset-mfa). Works with or without a running service.",
  ],
  positionals: 1,
  async run({ values, positionals }, terminal) {
    const email = requireWord(positionals, "EMAIL of the account");
    const changed = await withAccounts(terminal, {}, async (accounts) => {
      const account = await accounts.find(email);
      const password = await readPassword({
        given: process.env[passwordVariable],
        variable: passwordVariable,
        fromStdin: values.stdin === true,
      });
      return accounts.changePassword(account.email, password);
    });
    const sessions = plural(changed.sessions_ended, "session");
    const devices = plural(changed.trusted_devices_ended, "trusted device");
    const keys = plural(changed.api_keys_revoked, "API key");
    const done = `${changed.email} has a new password. Ended ${sessions} and ${devices}, revoked ${keys}`;
    printResult(terminal, values, changed, [done]);
    if (!changed.is_active) terminal.err(`${changed.email} is deactivated and cannot sign in`);
  },
});
