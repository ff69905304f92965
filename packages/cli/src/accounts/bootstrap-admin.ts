import type { AdminPlan } from "@svc/brain/account-rescue";
import type { Command, CommandOptions } from "../command-line/command.ts";
import { CliError, exitCodes } from "../command-line/exit-codes.ts";
import { readOptions } from "../command-line/options.ts";
import { readPassword } from "../terminal/read-password.ts";
import { passwordVariable, withAccounts } from "./account-rescue.ts";

const options = {
  force: { type: "boolean", help: "accounts exist already: make one more administrator, or lift EMAIL to one" },
  stdin: { type: "boolean", help: "the password is the first line of standard input" },
  json: { type: "boolean", help: "one JSON document" },
} as const satisfies CommandOptions;

const made: Record<AdminPlan, string> = {
  first: "is the first administrator",
  further: "is an administrator now",
  lift: "is an active administrator now, with the password it had",
};

export const bootstrapAdmin: Command = {
  usage: ["bootstrap-admin [EMAIL] [--force] [--stdin] [--json]"],
  options,
  details: [
    `EMAIL may stand in SVC_BOOTSTRAP_ADMIN_EMAIL. Asks twice for the password, unless --stdin, ${passwordVariable} or`,
    "SVC_BOOTSTRAP_ADMIN_PASSWORD gives it. Before the first start it makes what that start makes: home, secrets and database.",
    "Once an account exists it refuses (6). With --force it makes one more administrator; an account that has the address becomes an active",
    "administrator and keeps its password, its second factor and its lock: see svc changepassword and svc reset-mfa.",
  ],
  async run(args, terminal) {
    const { values, positionals } = readOptions(args, options, { positionals: 1 });
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
    terminal.out(values.json === true ? JSON.stringify(done) : `${done.email} ${made[done.outcome]}`);
    return exitCodes.done;
  },
};
