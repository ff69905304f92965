import { plural } from "@svc/client";
import { defineCommand } from "../command-line/command.ts";
import { jsonOption, requireWord } from "../command-line/option-values.ts";
import { printResult } from "../terminal/printed.ts";
import { withAccounts } from "./account-rescue.ts";

export const resetMfa = defineCommand({
  usage: ["reset-mfa EMAIL [--json]"],
  options: jsonOption,
  details: [
    "Removes the second factor of an account with its recovery codes, trusted devices and lock, and revokes its API",
    "keys. Keeps the password.",
    "Where a second factor is required, the deadline for setting one up does not change. Works with or without a running service.",
  ],
  positionals: 1,
  async run({ values, positionals }, terminal) {
    const email = requireWord(positionals, "EMAIL of the account");
    const account = await withAccounts(terminal, {}, (accounts) => accounts.resetMfa(email));
    const revoked = plural(account.api_keys_revoked, "API key");
    printResult(terminal, values, account, [`${account.email} no longer has a second factor. Revoked ${revoked}`]);
  },
});
