import type { AdminPlan } from "@svc/brain/account-rescue";
import { defineCommand, flag } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { jsonOption } from "../command-line/option-values.ts";
import { printResult } from "../terminal/printed.ts";
import { readPassword } from "../terminal/read-password.ts";
import { passwordVariable, withAccounts } from "./account-rescue.ts";

const outcomeTexts: Record<AdminPlan, string> = {
  first: "is the first administrator",
  further: "is now an administrator",
  lift: "is now an active administrator and keeps its password",
};

export const bootstrapAdmin = defineCommand({
  usage: ["bootstrap-admin [EMAIL] [--force] [--stdin] [--json]"],
  options: {
    force: flag("add another administrator, or make the existing account EMAIL one"),
    stdin: flag("read the password from the first line of standard input"),
    ...jsonOption,
  },
  details: [
    `EMAIL defaults to SVC_BOOTSTRAP_ADMIN_EMAIL. Asks twice for the password, unless --stdin, ${passwordVariable} or`,
    "SVC_BOOTSTRAP_ADMIN_PASSWORD provides it. Creates the home folder, secrets and database if they do not exist yet.",
    "Exits with 6 when an account exists. With --force it adds another administrator. An existing account with the address becomes an active",
    "administrator and keeps its password, second factor and lock. See svc changepassword and svc reset-mfa.",
  ],
  positionals: 1,
  async run({ values, positionals }, terminal) {
    const done = await withAccounts(terminal, { mayMake: true }, async (accounts) => {
      const email = positionals[0] ?? accounts.bootstrap.email;
      if (email === undefined) throw new CliError("usage", "missing EMAIL of the administrator");
      const plan = await accounts.planAdmin(email);
      if (plan !== "first" && values.force !== true) {
        throw new CliError("refused", `accounts already exist. Use --force to make ${email} an administrator`);
      }
      const password =
        plan === "lift"
          ? null
          : await readPassword({
              given: process.env[passwordVariable] ?? accounts.bootstrap.password,
              variable: passwordVariable,
              fromStdin: values.stdin === true,
            });
      return accounts.makeAdmin(plan, { email, password });
    });
    printResult(terminal, values, done, [`${done.email} ${outcomeTexts[done.outcome]}`]);
  },
});
