import { describe, expect, test } from "vitest";
import type { JournalLine } from "./journal.ts";
import { readLines, underWay } from "./journal.ts";
import { type ExitCode, slowestFiles, summaryLine, tallyCheck, tallyVitest } from "./tally.ts";

const file = "a.test.ts";
const begun: JournalLine[] = [
  { kind: "file begun", file },
  { kind: "test begun", file, test: "acks wait" },
];
const ended = (state: "passed" | "failed" | "skipped", name: string, note?: string): JournalLine => ({
  kind: "test",
  project: "unit",
  file,
  test: name,
  state,
  note,
});
const closed = (state: string, fault?: string): JournalLine => ({ kind: "file", file, state, ms: 1200, fault });
const over = (...errors: string[]): JournalLine => ({ kind: "over", errors });
const run = (journal: JournalLine[], exitCode: ExitCode = 0) => tallyVitest({ journal, exitCode, projects: ["unit"] });

describe("tallyVitest", () => {
  test("counts passed, failed and skipped tests, with the reason of a skip", () => {
    const journal = [
      ended("passed", "frames are signed"),
      ended("failed", "acks wait"),
      ended("skipped", "runs as root", "not root"),
      closed("failed"),
      over(),
    ];
    expect(run(journal, 1)).toEqual({
      passed: 1,
      failed: ["a.test.ts: acks wait"],
      skipped: ["a.test.ts: runs as root (not root)"],
    });
  });

  test("counts a file that could not be loaded, and a hook that failed", () => {
    const fault = closed("failed", "no such module");
    expect(run([ended("passed", "x"), fault, over()], 1).failed).toEqual([
      "a.test.ts: outside its tests: no such module",
    ]);
  });

  test("counts each error outside the tests", () => {
    expect(run([ended("passed", "x"), closed("passed"), over("Error: late", "Error: later")], 1).failed).toEqual([
      "outside the tests: Error: late",
      "outside the tests: Error: later",
    ]);
  });

  test("counts the tests before a run hung, and names the hanging test", () => {
    const journal = [...begun, ended("passed", "frames are signed")];
    expect(run(journal, "silent")).toEqual({ passed: 1, failed: ["a.test.ts: acks wait: did not end"], skipped: [] });
    expect(run([{ kind: "file begun", file }], "silent").failed).toEqual(["a.test.ts: did not end"]);
  });

  test("counts a run as clean when its process only failed to exit", () => {
    expect(run([ended("passed", "x"), closed("passed"), over()], "silent").failed).toEqual([]);
  });

  test.each([[1], [null], ["silent"]] as [ExitCode][])(
    "counts an unfinished run that exited with %s as failed",
    (exitCode) => {
      expect(run([ended("passed", "x"), closed("passed")], exitCode).failed).toHaveLength(1);
    },
  );

  test("counts a run without tests as a failure", () => {
    expect(run([over()]).failed).toEqual(["unit: no tests ran"]);
    const journal = [ended("passed", "x"), over()];
    expect(tallyVitest({ journal, exitCode: 0, projects: ["unit", "brain"] }).failed).toEqual(["brain: no tests ran"]);
  });
});

test("an incomplete journal is read up to its last complete line", () => {
  const text = `${JSON.stringify(begun[0])}\n${JSON.stringify(begun[1])}\n{"kind":"te`;
  expect(readLines(text)).toEqual(begun);
  expect(underWay(readLines(text))).toEqual(["a.test.ts: acks wait"]);
});

describe("slowestFiles", () => {
  const taking = (...times: number[]): JournalLine[] =>
    times.map((ms, index) => ({ kind: "file", file: `${index}.ts`, state: "passed", ms }));

  test("lists the slowest files first", () => {
    expect(slowestFiles(taking(10, 3000, 200), { count: 2, budgetSeconds: 60 })).toEqual([
      "    3.0 s  1.ts",
      "    0.2 s  2.ts",
    ]);
  });

  test("marks all files over the budget, even beyond the count", () => {
    expect(slowestFiles(taking(60_000, 61_000, 75_500), { count: 1, budgetSeconds: 60 })).toEqual([
      "   75.5 s  2.ts  warning: over the budget of 60 s",
      "   61.0 s  1.ts  warning: over the budget of 60 s",
    ]);
  });
});

describe("summaryLine", () => {
  test("adds checks and tests up", () => {
    const tallies = [tallyCheck("lint", 0), run([ended("passed", "x"), ended("passed", "y"), over()])];
    expect(summaryLine(tallies)).toBe("3 passed, 0 failed");
  });

  test("counts a check that a signal ended as failed, and mentions skipped tests only if there are any", () => {
    const skipping = run([ended("passed", "x"), ended("skipped", "y"), over()]);
    expect(summaryLine([tallyCheck("lint", null), skipping])).toBe("1 passed, 1 failed, 1 skipped");
  });
});
