import { expect, test } from "vitest";
import { previewedRuns, previewOf } from "./preview.ts";

const now = Date.parse("2026-11-20T17:38:00Z");
const iso = (runs: readonly number[]) => runs.map((run) => new Date(run).toISOString());

test("a cadence is described, with its next runs in its zone", () => {
  const { runs, quarters, ...rest } = previewOf(
    { kind: "cron", expression: "0 2,4 * * *", timezone: "Europe/Berlin" },
    now,
  );
  expect(rest).toEqual({ description: "Every day at 02:00 and 04:00 (Europe/Berlin)", refusal: null });
  expect(runs).toHaveLength(previewedRuns);
  expect(iso(runs.slice(0, 2))).toEqual(["2026-11-21T01:00:00.000Z", "2026-11-21T03:00:00.000Z"]);
  expect([...(quarters ?? [])]).toEqual([
    [Date.parse("2026-11-21T01:00:00Z"), 1],
    [Date.parse("2026-11-21T03:00:00Z"), 1],
  ]);
});

test("the runs of a day are counted by quarter of an hour, unless there are too many", () => {
  const every = (expression: string) => previewOf({ kind: "interval", expression, timezone: "UTC" }, now).quarters;
  const counts = every("60");
  expect(counts?.get(Date.parse("2026-11-20T17:45:00Z"))).toBe(15);
  expect([...(counts?.values() ?? [])].reduce((sum, one) => sum + one)).toBe(24 * 60 - 1);
  expect(every("10")).toBe(null);
});

test("a cadence that ends has fewer runs", () => {
  const once = { kind: "clocked", expression: "2026-11-21T06:00", timezone: "" };
  expect(iso(previewOf(once, now).runs)).toEqual(["2026-11-21T06:00:00.000Z"]);
  expect(previewOf({ ...once, expression: "2026-11-19T06:00" }, now)).toMatchObject({ runs: [], refusal: null });
});

test.each([
  ["expression", { kind: "cron", expression: "61 * * * *", timezone: "UTC" }],
  ["expression", { kind: "interval", expression: "0", timezone: "UTC" }],
  ["timezone", { kind: "cron", expression: "* * * * *", timezone: "Mars/Base" }],
])("a refusal names the field %s: %j", (field, cadence) => {
  const { refusal, runs } = previewOf(cadence, now);
  expect(refusal).toMatchObject({ field, message: expect.stringMatching(/^[A-Z]/) });
  expect(runs).toEqual([]);
});
