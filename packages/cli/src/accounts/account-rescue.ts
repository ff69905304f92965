import type { AccountRescue, RescueOptions } from "@svc/brain/account-rescue";
import type { Terminal } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { explainBrainFault } from "../settings/brain-faults.ts";

/** The environment variable for a new password. It is not a setting, so it is never stored in a file. */
export const passwordVariable = "SVC_NEW_PASSWORD";

/** Opens the accounts for `work` and closes them. @throws CliError with a text for the user. */
export async function withAccounts<T>(
  terminal: Terminal,
  options: Pick<RescueOptions, "mayMake">,
  work: (accounts: AccountRescue) => Promise<T>,
): Promise<T> {
  const { ApiError, openAccountRescue } = await import("@svc/brain/account-rescue");
  const { [passwordVariable]: _, ...env } = process.env;
  try {
    const accounts = await openAccountRescue({ ...options, env });
    try {
      return await work(accounts);
    } finally {
      await accounts.close();
    }
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    if (cause instanceof ApiError) throw refusalOf(cause);
    throw await explainBrainFault(cause, terminal);
  }
}

interface Refusal extends Error {
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
}

const conflicts: Readonly<Record<string, string>> = {
  not_enrolled: "this account has no second factor",
  already_initialised: "accounts already exist. Use --force to add another administrator",
  email_in_use: "an account with this address was just created. Try again",
};

function refusalOf(cause: Refusal): CliError {
  const { code, details } = cause;
  if (code === "not_found") return new CliError("notFound", "no account has this email address", { cause });
  if (code !== "validation_error") {
    return new CliError("refused", conflicts[String(details.reason)] ?? cause.message, { cause });
  }
  const faults = (details.errors ?? []) as { loc: readonly string[]; message: string }[];
  const [first] = faults;
  const exit = first?.loc.at(-1) === "email" ? "usage" : "refused";
  const what = exit === "usage" ? "the address" : "the password";
  return new CliError(exit, `${what} ${faults.map(({ message }) => message).join(" and ")}`, { cause });
}
