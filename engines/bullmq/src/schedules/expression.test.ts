import { expect, test } from "vitest";
import { expressionOf } from "./expression.ts";

test.each([
  ["0 3 * * *", "0 3 * * *"],
  ["  0   3 * * * ", "0 3 * * *"],
  ["15 0 3 * * *", "0 3 * * * 15"],
  ["*/10 * * * * *", "* * * * * */10"],
  ["0 0 3 * * *", "0 3 * * *"],
  ["00 30 9 ? * MON-FRI", "30 9 * * MON-FRI"],
  ["0 0 1 ? *", "0 0 1 * *"],
  ["@daily", "@daily"],
  ["@minutely", "* * * * *"],
  ["@SECONDLY", "* * * * * *"],
  ["@weekdays", "0 0 * * 1-5"],
  ["@weekends", "0 0 * * 0,6"],
  ["0 12 * * 5L", "0 12 * * 5L"],
  ["RRULE:FREQ=DAILY", "RRULE:FREQ=DAILY"],
])("the pattern %j is the expression %j", (pattern, expression) => {
  expect(expressionOf({ pattern })).toEqual({ kind: "cron", expression });
});

test("a pattern is cut at what the service keeps", () => {
  expect(expressionOf({ pattern: "x".repeat(5000) }).expression.length).toBe(1024);
});

test.each([
  [60_000, "60"],
  [1500, "2"],
  [1499, "1"],
  [20, "1"],
  [40_000_000_000, "31536000"],
])("an interval of %i ms is %s s", (every, expression) => {
  expect(expressionOf({ every })).toEqual({ kind: "interval", expression });
});
