import { expect, test } from "vitest";
import { startProgress } from "./progress.ts";
import { createTerminal } from "./terminal.ts";

/** Two streams onto one screen, as a terminal shows them. */
function screen(isTTY: boolean) {
  let text = "";
  const stream = { write: (part: string) => void (text += part), isTTY, columns: 60 };
  /** What is left to see: each erased line is gone. */
  const seen = () => text.replace(/[^\n]*\r\u001b\[2K/g, "");
  return { terminal: createTerminal(stream, stream), seen, written: () => text };
}

test("a status line stays last, makes way for lines, and is gone in the end", () => {
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

test("a status line is as wide as the terminal at most", () => {
  const { terminal, seen } = screen(true);
  terminal.status?.("x".repeat(200));
  expect(seen()).toHaveLength(59);
});

test("progress on a terminal is a bar with counts and what is left", () => {
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

test("progress elsewhere is a plain line now and then, when something changed", () => {
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
