import { describe, expect, test } from "vitest";
import { comparedRange, comparisonText, filterOf, nothingToCompare, releaseText } from "./comparison.ts";

const at = Date.parse("2026-11-20T10:00:00.000Z");
const hourMs = 3_600_000;

describe("the time range of a comparison", () => {
  const chosen = { untilMs: at + hourMs, isOpen: true, label: "last 24 h" };

  test("is the selected range if it includes the failure", () => {
    const range = comparedRange("2026-11-20T10:00:00.000Z", { ...chosen, sinceMs: at - 23 * hourMs });
    expect(range).toEqual({ params: { since: "2026-11-19T11:00:00.000Z" }, label: "last 24 h" });
  });

  test.each([
    ["has no beginning", null],
    ["begins after the task", at + 1],
    ["is longer than the API takes", at - 100 * 24 * hourMs],
  ])("is a day around the task when the chosen one %s", (_why, sinceMs) => {
    expect(comparedRange("2026-11-20T10:00:00.000Z", { ...chosen, sinceMs })).toEqual({
      params: { since: "2026-11-19T22:00:00.000Z", until: "2026-11-20T22:00:00.000Z" },
      label: "24 h around this failure",
    });
  });
});

const answer = {
  span: { from: "2026-11-19T10:00:00.000Z", to: "2026-11-20T10:00:00.000Z" },
  per_hour_cap: 83,
  failed: 88,
  passed: 1912,
  sampled: false,
  releases: 0,
  release_overlap: false,
  attributes: [],
};

test("sets that are too small are not compared, and the reason is given", () => {
  const reason = (given: Partial<typeof answer>) => nothingToCompare({ ...answer, ...given }, "last 24 h");
  expect(reason({})).toBeNull();
  expect(reason({ failed: 1 })).toBe("1 failure (last 24 h). A comparison needs at least 5.");
  expect(reason({ failed: 4 })).toMatch(/^4 failures/);
  expect(reason({ passed: 0 })).toBe("No successes of the same task name to compare with (last 24 h).");
});

test("one sentence describes the compared groups", () => {
  expect(comparisonText(answer, { name: "app.mail" }, "last 24 h")).toBe(
    "88 failures of this task name compared with 1,912 successes of the same name (last 24 h).",
  );
  const few = { ...answer, failed: 21, passed: 1, sampled: true };
  expect(comparisonText(few, { fingerprint: "0".repeat(32) }, "last hour")).toBe(
    "21 failures of this issue compared with 1 success of the same task name (last hour, sampled evenly by hour).",
  );
});

test("releases that ran at different hours are not compared", () => {
  expect(releaseText({ ...answer, releases: 2 })).toBe("Releases ran at different hours, so they are not compared.");
  expect(releaseText({ ...answer, releases: 2, release_overlap: true })).toBeNull();
  expect(releaseText({ ...answer, releases: 1 })).toBeNull();
});

test.each([
  ["queue", "mail", { queue: "mail" }],
  ["release", "2026.11.3", { q: 'release:"2026.11.3"' }],
  ["kwargs.gateway", "eu-1", { q: 'kwargs.gateway:"eu-1"' }],
  ["args.0", "7", { q: "args.0:7" }],
  ["unknown", "16", null],
])("the list can be filtered by %s %s as %j", (field, value, filter) => {
  expect(filterOf(field, value)).toEqual(filter);
});
