import { expect, test } from "vitest";
import { countdown, offsetText, runText, weekdayOf } from "./when.ts";

const at = (text: string) => Date.parse(text);
const now = at("2026-11-20T17:38:42Z");

test.each([
  ["2026-11-20T17:40:00Z", "in 1 min 18 s"],
  ["2026-11-23T08:00:00Z", "in 2 d 14 h"],
  ["2026-11-20T17:38:42.900Z", "now"],
  ["2026-11-20T17:38:41.500Z", "now"],
  ["2026-11-20T17:38:12Z", "30 s late"],
])("the run at %s is %s", (run, text) => {
  expect(countdown(at(run), now)).toBe(text);
});

test.each([
  ["2026-11-20T17:40:00Z", "UTC", "17:40"],
  ["2026-11-20T17:40:30Z", "UTC", "17:40:30"],
  ["2026-11-20T23:30:00Z", "Europe/Berlin", "Sat 00:30"],
  ["2026-11-26T03:00:00Z", "UTC", "Thu 03:00"],
  ["2026-11-27T03:00:00Z", "UTC", "2026-11-27 03:00"],
  ["2026-11-19T03:00:00Z", "UTC", "2026-11-19 03:00"],
])("the run at %s in %s is shown as %s", (run, zone, text) => {
  expect(runText(at(run), zone, now)).toBe(text);
});

test("a weekday is that of the zone", () => {
  expect([
    weekdayOf(at("2026-11-20T23:30:00Z"), "UTC"),
    weekdayOf(at("2026-11-20T23:30:00Z"), "Europe/Berlin"),
  ]).toEqual(["Fri", "Sat"]);
});

test.each([
  ["2026-11-20T00:00:00Z", "UTC", "UTC"],
  ["2026-07-20T00:00:00Z", "Europe/Berlin", "UTC+2"],
  ["2026-11-20T00:00:00Z", "America/St_Johns", "UTC-3:30"],
])("the offset at %s in %s is %s", (run, zone, text) => {
  expect(offsetText(at(run), zone)).toBe(text);
});
