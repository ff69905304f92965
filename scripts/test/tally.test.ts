import { describe, expect, test } from "vitest";
import { steps } from "./steps.ts";
import { summaryLine, tallyCheck, tallyVitest } from "./tally.ts";

const passing = { status: "passed", fullName: "frames are signed" };
const file = (status: string, assertionResults: readonly object[]) => ({ name: "a.test.ts", status, assertionResults });
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
    expect(tallyVitest(text, 1, "unit")).toEqual({
      passed: 1,
      failed: ["a.test.ts: acks wait"],
      skipped: ["runs as root (not root)"],
    });
  });

  test("counts a file that could not be loaded as a failure", () => {
    expect(tallyVitest(report(file("passed", [passing]), file("failed", [])), 1, "unit").failed).toEqual([
      "a.test.ts: could not be run",
    ]);
  });

  test("counts an error outside of the tests as a failure", () => {
    expect(tallyVitest(report(file("passed", [passing])), 1, "unit").failed).toHaveLength(1);
  });

  test.each([[undefined], [""], ["{}"], ["not json"]])("counts a run without a report as a failure: %j", (text) => {
    expect(tallyVitest(text, 0, "unit").failed).toHaveLength(1);
  });

  test("counts a run of no tests as a failure", () => {
    expect(tallyVitest(report(), 0, "unit").failed).toEqual(["unit: no test was run"]);
  });
});

describe("summaryLine", () => {
  test("adds checks and tests up", () => {
    const tallies = [tallyCheck("lint", 0), tallyVitest(report(file("passed", [passing, passing])), 0, "unit")];
    expect(summaryLine(tallies)).toBe("3 passed, 0 failed");
  });

  test("counts a check that was ended by a signal as failed, and names skipped tests only when there are any", () => {
    const skipping = tallyVitest(report(file("passed", [passing, { status: "skipped", fullName: "x" }])), 0, "unit");
    expect(summaryLine([tallyCheck("lint", null), skipping])).toBe("1 passed, 1 failed, 1 skipped");
  });
});

test("the steps stay within 40 minutes even when every vitest project uses up its bound", () => {
  const projects = steps.filter(({ kind }) => kind === "vitest");
  expect(projects.reduce((sum, { withinMinutes }) => sum + withinMinutes, 0)).toBeLessThanOrEqual(36);
  expect(new Set(steps.map(({ name }) => name)).size).toBe(steps.length);
});
