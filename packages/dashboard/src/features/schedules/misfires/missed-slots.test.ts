import { expect, test } from "vitest";
import { missedBySchedule } from "./missed-slots.ts";

test("missed slots are grouped by schedule, and other misfires are left out", () => {
  const misfires = [
    { schedule_id: "a", expected_fire_at: "1", misfire_kind: "missed_slot" },
    { schedule_id: "b", expected_fire_at: "2" },
    { schedule_id: "a", expected_fire_at: "3" },
    { schedule_id: "a", expected_fire_at: "4", misfire_kind: "late_start" },
    { schedule_id: "a", expected_fire_at: "5", misfire_kind: "long_run" },
  ];
  expect(Object.fromEntries(missedBySchedule(misfires))).toEqual({ a: ["1", "3"], b: ["2"] });
});
