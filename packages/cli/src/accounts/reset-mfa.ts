import { defineCommand } from "../command-line/command.ts";
import { jsonOption, requireWord } from "../command-line/option-values.ts";
import { counted, printResult } from "../terminal/printed.ts";
import { withAccounts } from "./account-rescue.ts";

export const resetMfa = defineCommand({
  usage: ["reset-mfa EMAIL [--json]"],
  options: jsonOption,
  details: [
    "Ends the second factor of an account, with its recovery codes, its trusted devices and the lock after wrong codes, and revokes its API",
    "keys. The password stays.",
    "Where a second factor is enforced, the delay for setting one up goes on as it was. Works beside a running service and without one.",
  ],
  positionals: 1,
  async run({ values, positionals }, terminal) {
    const email = requireWord(positionals, "account by its e-mail address");
    const account = await withAccounts(terminal, {}, (accounts) => accounts.resetMfa(email));
    const revoked = counted(account.api_keys_revoked, "API key");
    printResult(terminal, values, account, [`${account.email} no longer has a second factor; ${revoked} revoked`]);
  },
});
