import { createInterface } from "node:readline/promises";
import { CliError } from "../command-line/exit-codes.ts";

export const isAnswered = (): boolean => process.stdin.isTTY === true;

/** Asks a question whose answer may be seen. @throws CliError `interrupted` for Ctrl-C and the end of the input. */
export async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const gone = new Promise<never>((_, reject) => {
      terminal.once("SIGINT", () => reject(new CliError("interrupted", "interrupted")));
      terminal.once("close", () => reject(new CliError("interrupted", "interrupted")));
    });
    gone.catch(() => {});
    return (await Promise.race([terminal.question(question), gone])).trim();
  } finally {
    terminal.close();
  }
}

/** False without asking where nobody can answer. */
export async function confirms(question: string): Promise<boolean> {
  return isAnswered() && /^y(es)?$/i.test(await ask(question));
}
