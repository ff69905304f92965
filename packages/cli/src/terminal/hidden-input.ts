import { CliError } from "../command-line/exit-codes.ts";

/** Standard input, as far as a hidden question needs it. */
export interface HiddenInput extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
}

const interrupt = "\u0003";
const endOfInput = "\u0004";
const eraseLetter = new Set(["\u007f", "\b"]);
const eraseLine = "\u0015";
/** Arrow keys and their like. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals send them
const escapeSequence = /\u001b(?:\[[0-9;]*[A-Za-z~]|O[A-Z])/g;

/**
 * Asks each question on a terminal, one after the other, without showing what is typed. Several lines that are pasted at once answer several
 * questions.
 *
 * @throws CliError `interrupted` for Ctrl-C, Ctrl-D and the end of the input.
 */
export async function askHidden(
  questions: readonly string[],
  input: HiddenInput,
  output: NodeJS.WritableStream,
): Promise<string[]> {
  const answers: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let typed = "";
  const ask = () => output.write(questions[answers.length] ?? "");

  function take(letter: string): void {
    if (letter === interrupt || letter === endOfInput) reject(interrupted());
    else if (letter === "\r" || letter === "\n") {
      answers.push(typed);
      typed = "";
      output.write("\n");
      if (answers.length < questions.length) ask();
      else resolve();
    } else if (eraseLetter.has(letter)) typed = [...typed].slice(0, -1).join("");
    else if (letter === eraseLine) typed = "";
    else if (letter >= " ") typed += letter;
  }
  const heard = (chunk: unknown): void => {
    const text = String(chunk).replaceAll("\r\n", "\n").replace(escapeSequence, "");
    for (const letter of text) if (answers.length < questions.length) take(letter);
  };
  const ended = () => reject(interrupted());

  input.setEncoding("utf8");
  input.setRawMode?.(true);
  input.on("data", heard);
  input.once("end", ended);
  try {
    ask();
    input.resume();
    await promise;
    return answers;
  } catch (error) {
    output.write("\n");
    throw error;
  } finally {
    input.off("data", heard);
    input.off("end", ended);
    input.setRawMode?.(false);
    input.pause();
  }
}

const interrupted = () => new CliError("interrupted", "interrupted");
