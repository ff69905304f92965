import { expect, test } from "vitest";
import { depthBuckets, depthSummary } from "./depth-buckets.ts";

const start = Date.parse("2026-11-20T10:00:00.000Z");
const minuteMs = 60_000;
const cell = (minute: number, pending: number, consumers = 1) => ({
  t: new Date(start + minute * minuteMs).toISOString(),
  pending,
  consumers,
});

test("steps become buckets, and one without a report has no value", () => {
  const buckets = depthBuckets(
    { step_seconds: 120, series: [cell(0, 5), cell(4, 7, 0)] },
    { fromMs: start + 1000, toMs: start + 6 * minuteMs },
  );
  expect(buckets.map(({ value }) => value)).toEqual([5, null, 7]);
  expect(buckets[2]).toMatchObject({ fromMs: start + 4 * minuteMs, toMs: start + 6 * minuteMs });
  expect(buckets[2]?.notes).toEqual([{ label: "workers", value: "0" }]);
  expect(depthSummary(buckets)).toBe("Waiting tasks: 7 at the end, between 5 and 7; not reported in 1 of 3 intervals.");
});

test("too many steps share buckets with the maximum depth and the fewest workers", () => {
  const series = Array.from({ length: 720 }, (_, at) => cell(at * 2, at, at % 4));
  const buckets = depthBuckets({ step_seconds: 120, series }, { fromMs: start, toMs: start + 1440 * minuteMs });
  expect(buckets).toHaveLength(180);
  expect(buckets[0]).toMatchObject({ value: 3, notes: [{ label: "workers", value: "0" }] });
  expect(buckets.at(-1)?.value).toBe(719);
});

test("the summary says when nothing was reported", () => {
  expect(depthSummary(depthBuckets({ step_seconds: 120, series: [] }, { fromMs: start, toMs: start }))).toBe(
    "Waiting tasks: not reported.",
  );
});
