import { CliError } from "./exit-codes.ts";
import { askHidden, type HiddenInput } from "./hidden-input.ts";

export interface PasswordSources {
  /** A password that was set in the environment or the settings, and the name to set it by. */
  readonly given: string | undefined;
  readonly variable: string;
  /** Whether `--stdin` was said. */
  readonly fromStdin: boolean;
}

/** Far above every password; whoever pipes in a file by mistake is told so. */
const maxLetters = 4096;

/**
 * A new password: the first line of standard input when that was asked for, else the one that is set, else typed twice.
 *
 * @throws CliError `usage` when there is nobody to ask, `failed` when the two differ, `interrupted`.
 */
export async function readPassword(
  { given, variable, fromStdin }: PasswordSources,
  input: HiddenInput = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Promise<string> {
  const isTerminal = input.isTTY === true;
  if (fromStdin && !isTerminal) return firstLine(input);
  if (!fromStdin && given !== undefined && given !== "") return given;
  if (!isTerminal)
    throw new CliError("usage", `there is no terminal to ask for the password at: use --stdin or ${variable}`);
  const [first, second] = await askHidden(["New password: ", "Once more: "], input, output);
  if (first !== second) throw new CliError("failed", "the two passwords differ; nothing was changed");
  return first ?? "";
}

async function firstLine(input: HiddenInput): Promise<string> {
  let text = "";
  input.setEncoding("utf8");
  for await (const chunk of input) {
    text += chunk;
    if (text.includes("\n") || text.length > maxLetters) break;
  }
  const [line = ""] = text.split(/\r?\n/);
  if (line === "") throw new CliError("usage", "standard input holds no password");
  if (line.length > maxLetters) throw new CliError("usage", "standard input holds more than a password");
  return line;
}
