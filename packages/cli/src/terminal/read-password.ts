import { readFile } from "node:fs/promises";
import { CliError } from "../command-line/exit-codes.ts";
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

/** What proves somebody at a sign-in; the code is null where it would have to be asked for. */
export interface Proof {
  readonly password: string;
  readonly code: string | null;
}

/**
 * A password that exists: the first line of standard input when that was asked for, with a code in the second one if there is one; else the
 * first line of a file; else typed.
 *
 * @throws CliError `usage` when there is nobody to ask, `configuration` for a file that cannot be read, `interrupted`.
 */
export async function readProof(
  { file, fromStdin }: { readonly file: string | undefined; readonly fromStdin: boolean },
  input: HiddenInput = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Promise<Proof> {
  const isTerminal = input.isTTY === true;
  if (fromStdin && !isTerminal) {
    const [password = "", code = ""] = await firstLines(input, 2);
    if (password === "") throw new CliError("usage", "standard input holds no password");
    return { password, code: code.trim() === "" ? null : code.trim() };
  }
  if (!fromStdin && file !== undefined && file !== "") return { password: await passwordIn(file), code: null };
  if (!isTerminal)
    throw new CliError("usage", "there is no terminal to ask for the password at: use --stdin or SVC_PASSWORD_FILE");
  const [password = ""] = await askHidden(["Password: "], input, output);
  return { password, code: null };
}

async function passwordIn(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new CliError("configuration", `SVC_PASSWORD_FILE: ${file} cannot be read (${cause.code})`, { cause });
  });
  const [line = ""] = text.split(/\r?\n/);
  if (line === "") throw new CliError("configuration", `SVC_PASSWORD_FILE: ${file} holds no password`);
  return line;
}

async function firstLine(input: HiddenInput): Promise<string> {
  const [line = ""] = await firstLines(input, 1);
  if (line === "") throw new CliError("usage", "standard input holds no password");
  return line;
}

/** At most `count` lines of what is piped in. @throws CliError `usage` for a line that is no password */
async function firstLines(input: HiddenInput, count: number): Promise<string[]> {
  let text = "";
  input.setEncoding("utf8");
  for await (const chunk of input) {
    text += chunk;
    if (text.split("\n").length > count || text.length > count * maxLetters) break;
  }
  const lines = text.split(/\r?\n/).slice(0, count);
  if (lines.some((line) => line.length > maxLetters))
    throw new CliError("usage", "standard input holds more than a password");
  return lines;
}
