import type { Terminal } from "../command-line/command.ts";

/** An output stream, possibly a terminal. */
export interface Writable {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Moves to the start of the line and clears it. */
const clearLine = "\r\u001b[2K";

/** Writes lines to two streams, and a status line to the second one if it is a terminal. New lines replace the status line. */
export function createTerminal(output: Writable, errors: Writable): Terminal {
  let shown = "";
  const write = (stream: Writable) => (line: string) => {
    if (shown === "") stream.write(`${line}\n`);
    else {
      errors.write(clearLine);
      stream.write(`${line}\n`);
      errors.write(shown);
    }
  };
  const lines = { out: write(output), err: write(errors) };
  if (errors.isTTY !== true) return lines;
  return {
    ...lines,
    status(line) {
      // Some terminals report zero columns.
      const cut = line.slice(0, (errors.columns || 80) - 1);
      if (cut === shown) return;
      errors.write(shown === "" ? cut : `${clearLine}${cut}`);
      shown = cut;
    },
  };
}
