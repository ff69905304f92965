import { expect, test } from "vitest";
import type { MirroredSchedule } from "./scheduler-adapter.ts";
import { cutIntoParts } from "./snapshot-parts.ts";

const scheduleOf = (name: string, text: string): MirroredSchedule => ({
  ...{ name, external_id: name, task_name: "report", kind: "interval", expression: "60", timezone: "UTC" },
  ...{ queue: null, priority: "normal", args: [], kwargs: { text }, is_enabled: true, total_runs: 0 },
});

test("no schedules are one empty part", () => {
  expect(cutIntoParts([])).toEqual([[]]);
});

test("large inputs are left out when there would be more parts than the service reads", () => {
  const schedules = Array.from({ length: 1000 }, (_, n) => scheduleOf(`s${n}`, n % 2 === 0 ? "x".repeat(60_000) : "y"));

  const parts = cutIntoParts(schedules);

  expect(parts.length).toBeLessThanOrEqual(100);
  expect(parts.flat().map(({ name }) => name)).toEqual(schedules.map(({ name }) => name));
  expect(parts.flat()[0]).toMatchObject({ args: [expect.stringContaining("6")], kwargs: {} });
  expect(parts.flat()[1]).toEqual(schedules[1]);
});
