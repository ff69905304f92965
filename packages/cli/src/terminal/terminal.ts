import type { Terminal } from "../command-line/command.ts";

/** A stream to write to, which may be a terminal. */
export interface Writable {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Back to the line's beginning, and all of it gone. */
const clearLine = "\r\u001b[2K";

/** Lines on two streams, and a status line on the second one when a person looks at it; the status makes way for lines. */
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
      // Some terminals say that they have no columns.
      const cut = line.slice(0, (errors.columns || 80) - 1);
      if (cut === shown) return;
      errors.write(shown === "" ? cut : `${clearLine}${cut}`);
      shown = cut;
    },
  };
}
