import { expect, test } from "vitest";
import { startProgress } from "./progress.ts";
import { createTerminal } from "./terminal.ts";

/** A screen that shows two streams. */
function screen(isTTY: boolean, columns = 60) {
  let text = "";
  const stream = {
    isTTY,
    columns,
    write(part: string) {
      text += part;
    },
  };
  /** The visible text, without erased lines. */
  const seen = () =>
    text
      .split("\n")
      .map((line) => line.split("\r\u001b[2K").at(-1))
      .join("\n");
  return { terminal: createTerminal(stream, stream), seen, written: () => text };
}

test("a status line stays last, gives way to lines, and is removed at the end", () => {
  const { terminal, seen } = screen(true);
  terminal.status?.("one of three");
  terminal.out("a line");
  expect(seen()).toBe("a line\none of three");
  terminal.status?.("two of three");
  terminal.err("another");
  expect(seen()).toBe("a line\nanother\ntwo of three");
  terminal.status?.("");
  terminal.out("end");
  expect(seen()).toBe("a line\nanother\nend\n");
});

test.each([
  [60, 59],
  [0, 79],
])("a status line on a terminal of %i columns has at most %i characters", (columns, characters) => {
  const { terminal, seen } = screen(true, columns);
  terminal.status?.("x".repeat(200));
  expect(seen()).toHaveLength(characters);
});

test("progress on a terminal is a bar with counts and the remaining time", () => {
  const { terminal, seen } = screen(true);
  let nowMs = 0;
  const wide = { ...terminal, status: (line: string) => terminal.out(line) };
  {
    using progress = startProgress("retrying", wide, () => nowMs);
    progress.show(0, 1000);
    nowMs = 10_000;
    progress.show(250, 1000, ["3 failed"]);
    nowMs = 40_000;
    progress.show(1000, 1000);
  }
  expect(seen().split("\n")).toEqual([
    "retrying [------------------------]   0% 0 of 1000",
    "retrying [######------------------]  25% 250 of 1000, 3 failed, about 30 s left",
    "retrying [########################] 100% 1000 of 1000",
    "",
    "",
  ]);
});

test("progress without a terminal is an occasional line after a change", () => {
  const { terminal, written } = screen(false);
  expect(terminal.status).toBeUndefined();
  let nowMs = 0;
  using progress = startProgress("retrying", terminal, () => nowMs);
  progress.show(1, 10);
  expect(written()).toBe("");
  nowMs = 10_000;
  progress.show(2, 10);
  progress.show(3, 10);
  nowMs = 20_000;
  progress.show(2, 10);
  progress.show(4, 10, ["1 failed"]);
  expect(written()).toBe("retrying: 2 of 10\nretrying: 4 of 10, 1 failed\n");
});
