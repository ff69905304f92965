import { parseExact } from "@svc/client";
import { expect, test } from "vitest";
import { changesNothing, countsOf, diffLines } from "./diff-text.ts";

const definition = { kind: "cron", expression: "0 4 * * *", timezone: "UTC", task_name: "t", engine: "e" };
const none = { inserted: [], updated: [], unchanged: [], deleted: [] };

test("prints a line for each difference, with the changed fields", () => {
  const before = { ...definition, kwargs: { b: 1, a: 2 }, queue: null, is_enabled: true };
  const after = { ...definition, expression: "0 5 * * *", kwargs: { a: 2, b: 1 }, queue: "slow", is_enabled: false };
  const diff = {
    inserted: [{ name: "new\u001b", proposed: { ...definition, is_enabled: false } }],
    updated: [
      { name: "old", proposed: after, current: before },
      { name: "state", proposed: before, current: before },
    ],
    unchanged: [{ name: "same" }],
    deleted: [{ name: "last", current: { ...definition, kind: "interval", expression: "300" } }],
  };
  expect(diffLines(diff)).toEqual([
    "+ new\\u001b  Every day at 04:00 (UTC): t on e, disabled",
    '~ old  expression "0 4 * * *" -> "0 5 * * *", queue null -> "slow", is_enabled true -> false',
    "~ state  changed",
    "- last  Every 5 minutes: t on e",
  ]);
  expect(countsOf(diff)).toBe("1 to create, 2 to change, 1 to delete, 1 unchanged");
  expect([changesNothing(diff), changesNothing({ ...none, unchanged: diff.unchanged })]).toEqual([false, true]);
});

test("cuts long values, keeps exact numbers, and marks schedules that the service left out", () => {
  const [current, proposed] = ["[12345678901234567890]", "[12345678901234567891]"].map((args) => ({
    ...definition,
    args: parseExact(args) as unknown[],
    kwargs: { text: "x".repeat(100) },
  }));
  const long = { ...proposed!, kwargs: { text: "y".repeat(100) } };
  expect(diffLines({ ...none, updated: [{ name: "n", current: current!, proposed: long }] })).toEqual([
    `~ n  args [12345678901234567890] -> [12345678901234567891], kwargs {"text":"${"x".repeat(71)}… -> {"text":"${"y".repeat(71)}…`,
  ]);
  const large = [{ name: "large" }];
  expect(diffLines({ ...none, inserted: large, updated: large })).toEqual([
    "+ large  (too large to show)",
    "~ large  (too large to show)",
  ]);
  const odd = [{ name: "odd", proposed: { ...definition, expression: "x" } }];
  expect(diffLines({ ...none, inserted: odd })).toEqual(["+ odd  cron x: t on e"]);
});
