import { defineCommand, flag } from "../command-line/command.ts";
import { jsonOption, requireWord } from "../command-line/option-values.ts";
import { counted, printResult } from "../terminal/printed.ts";
import { readPassword } from "../terminal/read-password.ts";
import { passwordVariable, withAccounts } from "./account-rescue.ts";

export const changepassword = defineCommand({
  usage: ["changepassword EMAIL [--stdin] [--json]"],
  options: {
    stdin: flag("the password is the first line of standard input"),
    ...jsonOption,
  },
  details: [
    `Asks twice for the new password, unless --stdin or ${passwordVariable} gives it. Unlocks the account and ends its sessions, trusted`,
    "devices, API keys and reset links. A second factor stays: svc reset-mfa ends it. Works beside a running service and without one.",
  ],
  positionals: 1,
  async run({ values, positionals }, terminal) {
    const email = requireWord(positionals, "account by its e-mail address");
    const changed = await withAccounts(terminal, {}, async (accounts) => {
      const account = await accounts.find(email);
      const password = await readPassword({
        given: process.env[passwordVariable],
        variable: passwordVariable,
        fromStdin: values.stdin === true,
      });
      return accounts.changePassword(account.email, password);
    });
    const sessions = counted(changed.sessions_ended, "session");
    const devices = counted(changed.trusted_devices_ended, "trusted device");
    const keys = counted(changed.api_keys_revoked, "API key");
    const done = `${changed.email} has a new password; ${sessions} and ${devices} ended, ${keys} revoked`;
    printResult(terminal, values, changed, [done]);
    if (!changed.is_active) terminal.err(`${changed.email} is deactivated and cannot sign in`);
  },
});
