import { createInterface } from "node:readline/promises";
import { CliError } from "../command-line/exit-codes.ts";

export const hasTerminal = (): boolean => process.stdin.isTTY === true;

/** Asks a question and echoes the answer. @throws CliError `interrupted` for Ctrl-C and the end of the input. */
export async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const interrupted = new Promise<never>((_, reject) => {
      terminal.once("SIGINT", () => reject(new CliError("interrupted", "interrupted")));
      terminal.once("close", () => reject(new CliError("interrupted", "interrupted")));
    });
    interrupted.catch(() => {});
    return (await Promise.race([terminal.question(question), interrupted])).trim();
  } finally {
    terminal.close();
  }
}

/** Asks for confirmation. False without a terminal. */
export async function confirm(question: string): Promise<boolean> {
  return hasTerminal() && /^y(es)?$/i.test(await ask(question));
}
