import { CliError } from "../command-line/exit-codes.ts";

/** The parts of standard input that a hidden prompt uses. */
export interface HiddenInput extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
}

const interrupt = "\u0003";
const endOfInput = "\u0004";
const eraseKeys = new Set(["\u007f", "\b"]);
const eraseLine = "\u0015";
/** Arrow keys and similar sequences. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals send them
const escapeSequence = /\u001b(?:\[[0-9;]*[A-Za-z~]|O[A-Z])/g;

/**
 * Asks questions in sequence on a terminal without echoing the answers. Several pasted lines answer several questions.
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

  function type(character: string): void {
    if (character === interrupt || character === endOfInput) reject(interrupted());
    else if (character === "\r" || character === "\n") {
      answers.push(typed);
      typed = "";
      output.write("\n");
      if (answers.length < questions.length) ask();
      else resolve();
    } else if (eraseKeys.has(character)) typed = [...typed].slice(0, -1).join("");
    else if (character === eraseLine) typed = "";
    else if (character >= " ") typed += character;
  }
  const onData = (chunk: unknown): void => {
    const text = String(chunk).replaceAll("\r\n", "\n").replace(escapeSequence, "");
    for (const character of text) if (answers.length < questions.length) type(character);
  };
  const onEnd = () => reject(interrupted());

  input.setEncoding("utf8");
  input.setRawMode?.(true);
  input.on("data", onData);
  input.once("end", onEnd);
  try {
    ask();
    input.resume();
    await promise;
    return answers;
  } catch (error) {
    output.write("\n");
    throw error;
  } finally {
    input.off("data", onData);
    input.off("end", onEnd);
    input.setRawMode?.(false);
    input.pause();
  }
}

const interrupted = () => new CliError("interrupted", "interrupted");
