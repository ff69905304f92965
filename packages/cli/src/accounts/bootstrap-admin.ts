import type { AdminPlan } from "@svc/brain/account-rescue";
import { defineCommand, flag } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { jsonOption } from "../command-line/option-values.ts";
import { printResult } from "../terminal/printed.ts";
import { readPassword } from "../terminal/read-password.ts";
import { passwordVariable, withAccounts } from "./account-rescue.ts";

const made: Record<AdminPlan, string> = {
  first: "is the first administrator",
  further: "is an administrator now",
  lift: "is an active administrator now, with the password it had",
};

export const bootstrapAdmin = defineCommand({
  usage: ["bootstrap-admin [EMAIL] [--force] [--stdin] [--json]"],
  options: {
    force: flag("accounts exist already: make one more administrator, or lift EMAIL to one"),
    stdin: flag("the password is the first line of standard input"),
    ...jsonOption,
  },
  details: [
    `EMAIL may stand in SVC_BOOTSTRAP_ADMIN_EMAIL. Asks twice for the password, unless --stdin, ${passwordVariable} or`,
    "SVC_BOOTSTRAP_ADMIN_PASSWORD gives it. Before the first start it makes what that start makes: home, secrets and database.",
    "Once an account exists it refuses (6). With --force it makes one more administrator; an account that has the address becomes an active",
    "administrator and keeps its password, its second factor and its lock: see svc changepassword and svc reset-mfa.",
  ],
  positionals: 1,
  async run({ values, positionals }, terminal) {
    const done = await withAccounts(terminal, { mayMake: true }, async (accounts) => {
      const email = positionals[0] ?? accounts.bootstrap.email;
      if (email === undefined) throw new CliError("usage", "name the administrator's e-mail address");
      const plan = await accounts.planAdmin(email);
      if (plan !== "first" && values.force !== true) {
        throw new CliError("refused", `accounts exist already; --force makes ${email} an administrator all the same`);
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
    printResult(terminal, values, done, [`${done.email} ${made[done.outcome]}`]);
  },
});
