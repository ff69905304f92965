import { expect, test } from "vitest";
import { clockChanges, warningText } from "./clock-changes.ts";

const runs = (...texts: string[]) => texts.map((text) => Date.parse(text));
const zone = "Europe/Berlin";

test("a run in the gap starts at its end", () => {
  expect(clockChanges(runs("2027-03-27T01:30Z", "2027-03-28T01:00Z", "2027-03-29T00:30Z"), zone)).toEqual([
    { at: 1, text: "2027-03-28: clocks skip from after 01:59 to 03:00. The run starts then." },
  ]);
});

test("a time that occurs twice runs twice", () => {
  expect(clockChanges(runs("2026-10-25T00:30Z", "2026-10-25T01:30Z"), zone)).toEqual([
    { at: 1, text: "2026-10-25: 02:30 occurs twice. The task runs twice." },
  ]);
});

test("other runs around a change are listed with the offsets", () => {
  expect(clockChanges(runs("2026-10-24T10:00Z", "2026-10-25T11:00Z", "2026-10-26T11:00Z"), zone)).toEqual([
    { at: 1, text: "2026-10-25: clocks change from UTC+2 to UTC+1." },
  ]);
});

test("without a change there is nothing to say", () => {
  expect(clockChanges(runs("2026-10-24T10:00Z", "2026-10-25T10:00Z"), "UTC")).toEqual([]);
  expect(clockChanges([], zone)).toEqual([]);
});

test("what the service found is a sentence", () => {
  expect(warningText({ kind: "skipped", local_time: "2027-03-28T02:30:00" })).toBe(
    "2027-03-28: 02:30 does not exist. The run starts when the clocks change.",
  );
  expect(warningText({ kind: "repeated", local_time: "2027-10-31T02:30:15" })).toBe(
    "2027-10-31: 02:30:15 occurs twice. The task runs twice.",
  );
});
