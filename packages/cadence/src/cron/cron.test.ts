import { Cron } from "croner";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileCadence } from "../index.ts";

const cron = (expression: string, timezone = "") => compileCadence({ kind: "cron", expression, timezone });

function nextOf(expression: string, timezone: string, after: string, count: number): (string | null)[] {
  const cadence = cron(expression, timezone);
  const found: (string | null)[] = [];
  for (let at: number | null = Date.parse(after); found.length < count && at !== null; ) {
    at = cadence.next(at);
    found.push(at === null ? null : new Date(at).toISOString().replace(":00.000Z", "Z"));
  }
  return found;
}

describe("the next slots", () => {
  test.each([
    ["30 2 * * *", "Europe/Berlin", "2026-03-28T12:00Z", ["2026-03-29T01:00Z", "2026-03-30T00:30Z"]],
    [
      "30 2 * * *",
      "Europe/Berlin",
      "2026-10-24T12:00Z",
      ["2026-10-25T00:30Z", "2026-10-25T01:30Z", "2026-10-26T01:30Z"],
    ],
    ["*/30 * * * *", "Europe/Berlin", "2026-03-29T00:30Z", ["2026-03-29T01:00Z", "2026-03-29T01:30Z"]],
    ["0 9 * * 1#1", "", "2026-05-15T00:00Z", ["2026-06-01T09:00Z"]],
    ["0 9 * * FRI#5", "", "2026-05-01T00:00Z", ["2026-05-29T09:00Z", "2026-07-31T09:00Z"]],
    ["0 0 L 2 *", "", "2026-02-01T00:00Z", ["2026-02-28T00:00Z", "2027-02-28T00:00Z", "2028-02-29T00:00Z"]],
    ["0 0 1,L * *", "", "2026-04-01T00:00Z", ["2026-04-30T00:00Z", "2026-05-01T00:00Z"]],
    ["0 0 13 * 5", "", "2026-02-01T00:00Z", ["2026-02-06T00:00Z", "2026-02-13T00:00Z", "2026-02-20T00:00Z"]],
    // A field that begins with `*` is not restricted, so both must match.
    ["0 0 */2 * MON", "", "2026-02-01T00:00Z", ["2026-02-09T00:00Z", "2026-02-23T00:00Z"]],
    ["0 12 * * * 30", "", "2026-02-01T00:00Z", ["2026-02-01T12:00:30.000Z", "2026-02-02T12:00:30.000Z"]],
    ["0 0 29 2 *", "", "2096-03-01T00:00Z", ["2104-02-29T00:00Z"]],
    ["0 0 * * 7", "UTC", "2026-02-01T00:00Z", ["2026-02-08T00:00Z"]],
    ["0 0 * * 5-7", "UTC", "2026-02-01T00:00Z", ["2026-02-06T00:00Z", "2026-02-07T00:00Z", "2026-02-08T00:00Z"]],
    ["0 0 * * FRI-SUN", "UTC", "2026-02-02T00:00Z", ["2026-02-06T00:00Z", "2026-02-07T00:00Z", "2026-02-08T00:00Z"]],
    ["0 0 * * SUN-SUN", "UTC", "2026-02-02T00:00Z", ["2026-02-08T00:00Z", "2026-02-15T00:00Z"]],
    ["5/20 * * jan-mar *", "", "2026-03-31T23:05Z", ["2026-03-31T23:25Z", "2026-03-31T23:45Z", "2027-01-01T00:05Z"]],
    ["@yearly", "Asia/Tokyo", "2026-02-01T00:00Z", ["2026-12-31T15:00Z"]],
    ["@monthly", "", "2026-02-01T00:00Z", ["2026-03-01T00:00Z"]],
    ["@weekly", "", "2026-02-02T00:00Z", ["2026-02-08T00:00Z"]],
    ["@Daily", "", "2026-02-02T00:00Z", ["2026-02-03T00:00Z"]],
    ["@hourly", "", "2026-02-02T00:00Z", ["2026-02-02T01:00Z"]],
    ["0 0 31 2 *", "", "2026-02-02T00:00Z", [null]],
    // After the last listed change of a zone, its rules continue.
    ["30 2 * * *", "Europe/Berlin", "2099-03-28T12:00Z", ["2099-03-29T01:00Z", "2099-03-30T00:30Z"]],
  ] as const)("of %s in %s after %s are %j", (expression, timezone, after, expected) => {
    expect(nextOf(expression, timezone, after, expected.length)).toEqual(expected);
  });

  test("are strictly after the given instant, to the millisecond", () => {
    const daily = cron("0 6 * * *");
    const six = Date.parse("2026-03-01T06:00:00.000Z");
    expect([six - 1, six, six + 1].map((at) => daily.next(at))).toEqual([six, six + 86_400_000, six + 86_400_000]);
  });
});

test.each([
  ["", "5 fields, or 6 with the seconds last; this one has 0"],
  ["* * * *", "this one has 4"],
  ["* * * * * * *", "this one has 7"],
  ["60 * * * *", "minute: 60 is not between 0 and 59"],
  ["* 24 * * *", "hour: 24 is not between 0 and 23"],
  ["* * 0 * *", "day: 0 is not between 1 and 31"],
  ["* * * 13 *", "month: 13 is not between 1 and 12"],
  ["* * * * 8", "weekday: 8 is not between 0 and 7"],
  ["* * * * * 60", "second: 60 is not between 0 and 59"],
  ["* * * * MOON", "weekday: MOON is not a number or a name such as MON"],
  ["* * * BER *", "month: BER is not a number or a name such as JAN"],
  ["a * * * *", "minute: a is not a number"],
  ["*/0 * * * *", "minute: the step in */0 must be at least 1"],
  ["*/ * * * *", "minute: */ has no valid step"],
  ["1/2/3 * * * *", "minute: 1/2/3 has no valid step"],
  ["30-10 * * * *", "minute: 30-10 ends before it begins"],
  ["1-2-3 * * * *", "minute: 1-2-3 is not a range such as 1-5"],
  ["1- * * * *", "minute: 1- is not a range such as 1-5"],
  ["1,,2 * * * *", "minute: a value is missing"],
  ["-1 * * * *", "minute: a value is missing"],
  ["* * L-1 * *", "day: L is not a number"],
  ["* * * * 1#6", "weekday: 1#6 is not a weekday and its position 1 to 5, such as 1#2"],
  ["* * * * 1#2#3", "weekday: 1#2#3 is not a weekday and its position 1 to 5, such as 1#2"],
  ["@reboot", "@reboot is not one of @yearly, @monthly, @weekly, @daily, @hourly"],
  [`${"9".repeat(500)} * * * *`, `minute: ${"9".repeat(40)}… is not a number`],
])("refuses %j: %s", (expression, message) => {
  const refusal = { reason: "invalid_cron", field: "expression", message: expect.stringContaining(message) };
  expect(() => cron(expression)).toThrow(expect.objectContaining(refusal));
});

/** Expressions in the subset that croner reads alike: it has no rule for fields that begin with `*` next to a restricted one. */
const field = (low: number, high: number) => {
  const value = fc.integer({ min: low, max: high });
  const step = fc.integer({ min: 1, max: high });
  const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  const stepped = fc.tuple(range, step).map(([span, by]) => `${span}/${by}`);
  return fc
    .array(fc.oneof(value.map(String), range, stepped), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join(","));
};
const orStar = (given: fc.Arbitrary<string>) => fc.oneof(fc.constant("*"), given);
const expressions = fc
  .tuple(orStar(field(0, 59)), orStar(field(0, 23)), orStar(field(1, 31)), orStar(field(1, 12)), orStar(field(0, 6)))
  .map((fields) => fields.join(" "));

test("agrees with croner in UTC", () => {
  const instants = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2029, 0, 1) });
  fc.assert(
    fc.property(expressions, instants, (expression, after) => {
      const theirs = new Cron(expression, { timezone: "UTC" });
      const ours = cron(expression);
      let [at, expected]: [number | null, Date | null] = [after, new Date(after)];
      for (let count = 0; count < 5 && at !== null && expected !== null; count += 1) {
        at = ours.next(at);
        expected = theirs.nextRun(expected);
        // Its search continues after eight years.
        if (at === null) expect(expected === null || expected.getTime() > after + 8 * 365 * 86_400_000).toBe(true);
        else expect([expression, at]).toEqual([expression, expected?.getTime()]);
      }
    }),
    { numRuns: 300 },
  );
});
