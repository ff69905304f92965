import { describe, expect, test } from "vitest";
import { comparedRange, filterOf, nothingToCompare, sampleText, valueText } from "./comparison.ts";

const at = Date.parse("2026-11-20T10:00:00.000Z");
const hourMs = 3_600_000;

describe("the time that a failed task is compared in", () => {
  const chosen = { untilMs: at + hourMs, isOpen: true, label: "last 24 h" };

  test("is the chosen one when the task lies in it", () => {
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
      label: "24 h around this task",
    });
  });
});

const answer = { failed: 88, passed: 1912, sampled: false, attributes: [] };

test("too small sets are not compared, and it is said why", () => {
  expect(nothingToCompare(answer)).toBeNull();
  expect(nothingToCompare({ ...answer, failed: 1 })).toMatch(/^Only 1 task of this name failed/);
  expect(nothingToCompare({ ...answer, failed: 4 })).toMatch(/^Only 4 tasks/);
  expect(nothingToCompare({ ...answer, passed: 0 })).toMatch(/^No task of this name passed/);
});

test("the sizes of the sets are told, and when they are samples", () => {
  expect(sampleText(answer)).toBe("88 failed and 1,912 passed tasks of this name");
  expect(sampleText({ ...answer, sampled: true })).toMatch(/^A sample of 88/);
});

test("an hour reads as a time of day", () => {
  expect(valueText("hour", "23")).toBe("23:00 to 00:00 UTC");
  expect(valueText("args.0.gateway", "eu-1")).toBe("eu-1");
});

test.each([
  ["queue", "mail", { queue: "mail" }],
  ["release", "2026.11.3", { q: 'release:"2026.11.3"' }],
  ["kwargs.gateway", "eu-1", { q: 'kwargs.gateway:"eu-1"' }],
  ["args.0", "7", { q: "args.0:7" }],
  ["hour", "16", null],
])("the list can be filtered by %s %s as %j", (field, value, filter) => {
  expect(filterOf(field, value)).toEqual(filter);
});
