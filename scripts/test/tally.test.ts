import { describe, expect, test } from "vitest";
import { projectsWithinMinutes, steps } from "./steps.ts";
import { type ExitCode, summaryLine, tallyCheck, tallyVitest } from "./tally.ts";

const passing = { status: "passed", fullName: "frames are signed" };
const file = (status: string, assertionResults: readonly object[]) => ({ name: "a.test.ts", status, assertionResults });
const run = (report: string | undefined, exitCode: ExitCode, outsideErrors: string | undefined = "[]") =>
  tallyVitest({ report, outsideErrors, exitCode, project: "unit" });
const report = (...testResults: readonly object[]) => JSON.stringify({ testResults });

describe("tallyVitest", () => {
  test("counts passed, failed and skipped tests and tells the reason of a skip", () => {
    const text = report(
      file("failed", [
        passing,
        { status: "failed", fullName: "acks wait" },
        { status: "skipped", fullName: "runs as root", meta: { reason: "not root" } },
      ]),
    );
    expect(run(text, 1)).toEqual({
      passed: 1,
      failed: ["a.test.ts: acks wait"],
      skipped: ["runs as root (not root)"],
    });
  });

  test("counts a file that could not be loaded as a failure", () => {
    expect(run(report(file("passed", [passing]), file("failed", [])), 1).failed).toEqual([
      "a.test.ts: could not be run",
    ]);
  });

  test("counts an error outside of the tests as a failure", () => {
    const text = report(file("passed", [passing]));
    expect(run(text, 1).failed).toEqual(["unit: an error outside of the tests (exit code 1)"]);
    for (const exitCode of [1, "stuck"] as const) {
      expect(run(text, exitCode, '["Error: late", "Error: later"]').failed).toEqual([
        "unit: outside of the tests: Error: late",
        "unit: outside of the tests: Error: later",
      ]);
    }
  });

  test("counts the report of a process that had to be ended, but only when it told its errors too", () => {
    const text = report(file("passed", [passing]));
    expect(run(text, "stuck").failed).toEqual([]);
    for (const unread of [undefined, "", "{}"]) {
      expect(
        tallyVitest({ report: text, outsideErrors: unread, exitCode: "stuck", project: "unit" }).failed,
      ).toHaveLength(1);
    }
    expect(run(text, null).failed).toHaveLength(1);
  });

  test.each([[undefined], [""], ["{}"], ["not json"]])("counts a run without a report as a failure: %j", (text) => {
    expect(run(text, 0).failed).toHaveLength(1);
  });

  test("counts a run of no tests as a failure", () => {
    expect(run(report(), 0).failed).toEqual(["unit: no test was run"]);
  });
});

describe("summaryLine", () => {
  test("adds checks and tests up", () => {
    const tallies = [tallyCheck("lint", 0), run(report(file("passed", [passing, passing])), 0)];
    expect(summaryLine(tallies)).toBe("3 passed, 0 failed");
  });

  test("counts a check that was ended by a signal as failed, and names skipped tests only when there are any", () => {
    const skipping = run(report(file("passed", [passing, { status: "skipped", fullName: "x" }])), 0);
    expect(summaryLine([tallyCheck("lint", null), skipping])).toBe("1 passed, 1 failed, 1 skipped");
  });
});

test("the vitest projects fit into the time that they have together", () => {
  const projects = steps.filter(({ kind }) => kind === "vitest");
  expect(projects.reduce((sum, { withinMinutes }) => sum + withinMinutes, 0)).toBeLessThan(projectsWithinMinutes);
  expect(new Set(steps.map(({ name }) => name)).size).toBe(steps.length);
});
