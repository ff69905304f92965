import { expect, test } from "vitest";
import { clockWarnings, offsetAt } from "./clock-changes.ts";

const [after, until] = [Date.parse("2026-01-01T00:00:00Z"), Date.parse("2026-12-31T00:00:00Z")];
const spring = Date.parse("2026-03-29T01:00:00Z");
const autumn = Date.parse("2026-10-25T01:00:00Z");
const warningsOf = (expression: string, timezone = "Europe/Berlin") =>
  clockWarnings({ kind: "cron", expression, timezone }, after, until);

test("a time in the gap is moved, and a time that occurs twice is repeated", () => {
  expect(warningsOf("30 2 * * *")).toEqual([
    { kind: "skipped", at: spring, wallTime: "2026-03-29T02:30:00" },
    { kind: "repeated", at: autumn, wallTime: "2026-10-25T02:30:00" },
  ]);
});

test.each(["0 1 * * *", "59 1 * * *", "0 3 * * *", "30 2 * * 1", "30 2 1 * *"])("%s is not concerned", (expression) => {
  expect(warningsOf(expression)).toEqual([]);
});

test.each(["* * * * *", "*/30 * * * *", "15 * * * *"])("%s continues at its pace", (expression) => {
  expect(warningsOf(expression)).toEqual([]);
});

test("the borders of the changed hour belong to it, its end does not", () => {
  expect(warningsOf("0 2 * * *").map(({ kind }) => kind)).toEqual(["skipped", "repeated"]);
  expect(warningsOf("0 3 * * *")).toEqual([]);
});

test("only changes in the range count, half an hour as well", () => {
  expect(
    clockWarnings({ kind: "cron", expression: "30 2 * * *", timezone: "Europe/Berlin" }, spring, autumn - 1),
  ).toEqual([]);
  const lordHowe = warningsOf("15 2 * * *", "Australia/Lord_Howe");
  expect(lordHowe.map(({ kind, wallTime }) => [kind, wallTime])).toEqual([["skipped", "2026-10-04T02:15:00"]]);
});

test("other kinds and zones without changes have none; wrong expressions are refused", () => {
  expect(clockWarnings({ kind: "interval", expression: "60", timezone: "Europe/Berlin" }, after, until)).toEqual([]);
  expect(warningsOf("30 2 * * *", "UTC")).toEqual([]);
  expect(() => clockWarnings({ kind: "interval", expression: "0", timezone: "UTC" }, after, until)).toThrow(
    "whole number",
  );
  expect(() => warningsOf("30 25 * * *")).toThrow();
});

test("offsets follow the clocks", () => {
  expect(offsetAt("Europe/Berlin", spring - 1)).toBe(3_600_000);
  expect(offsetAt("Europe/Berlin", spring)).toBe(7_200_000);
  expect(offsetAt("", spring)).toBe(0);
});
