import { readFile } from "node:fs/promises";
import { CliError } from "../command-line/exit-codes.ts";
import { askHidden, type HiddenInput } from "./hidden-input.ts";

export interface PasswordSources {
  /** A password from the environment or the settings, with its name there. */
  readonly given: string | undefined;
  readonly variable: string;
  /** Whether `--stdin` was given. */
  readonly fromStdin: boolean;
}

/** Far above any password, to detect a file that was piped in by mistake. */
const maxCharacters = 4096;

/**
 * A new password: the first line of standard input with --stdin, otherwise the configured one, otherwise typed twice.
 *
 * @throws CliError `usage` without a terminal, `failed` when the two differ, `interrupted`.
 */
export async function readPassword(
  { given, variable, fromStdin }: PasswordSources,
  input: HiddenInput = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Promise<string> {
  const isTerminal = input.isTTY === true;
  if (fromStdin && !isTerminal) return firstLine(input);
  if (!fromStdin && given !== undefined && given !== "") return given;
  if (!isTerminal) throw new CliError("usage", `no terminal to ask for the password. Use --stdin or ${variable}`);
  const [first, second] = await askHidden(["New password: ", "Repeat password: "], input, output);
  if (first !== second) throw new CliError("failed", "the passwords do not match. Nothing was changed");
  return first ?? "";
}

/** Credentials for a sign-in. The code is null unless it was given. */
export interface Credentials {
  readonly password: string;
  readonly code: string | null;
}

/**
 * An existing password: the first line of standard input with --stdin, with an optional code in the second line, otherwise the first line of a
 * file, otherwise typed.
 *
 * @throws CliError `usage` without a terminal, `configuration` for an unreadable file, `interrupted`.
 */
export async function readCredentials(
  { file, fromStdin }: { readonly file: string | undefined; readonly fromStdin: boolean },
  input: HiddenInput = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Promise<Credentials> {
  const isTerminal = input.isTTY === true;
  if (fromStdin && !isTerminal) {
    const [password = "", code = ""] = await firstLines(input, 2);
    if (password === "") throw new CliError("usage", "standard input contains no password");
    return { password, code: code.trim() === "" ? null : code.trim() };
  }
  if (!fromStdin && file !== undefined && file !== "") return { password: await passwordFrom(file), code: null };
  if (!isTerminal) throw new CliError("usage", "no terminal to ask for the password. Use --stdin or SVC_PASSWORD_FILE");
  const [password = ""] = await askHidden(["Password: "], input, output);
  return { password, code: null };
}

async function passwordFrom(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new CliError("configuration", `SVC_PASSWORD_FILE: cannot read ${file} (${cause.code})`, { cause });
  });
  const [line = ""] = text.split(/\r?\n/);
  if (line === "") throw new CliError("configuration", `SVC_PASSWORD_FILE: ${file} contains no password`);
  return line;
}

async function firstLine(input: HiddenInput): Promise<string> {
  const [line = ""] = await firstLines(input, 1);
  if (line === "") throw new CliError("usage", "standard input contains no password");
  return line;
}

/** At most `count` lines of piped input. @throws CliError `usage` for a line that is too long for a password. */
async function firstLines(input: HiddenInput, count: number): Promise<string[]> {
  let text = "";
  input.setEncoding("utf8");
  for await (const chunk of input) {
    text += chunk;
    if (text.split("\n").length > count || text.length > count * maxCharacters) break;
  }
  const lines = text.split(/\r?\n/).slice(0, count);
  if (lines.some((line) => line.length > maxCharacters))
    throw new CliError("usage", "standard input contains more than a password");
  return lines;
}
