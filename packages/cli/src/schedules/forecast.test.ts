import { expect, test } from "vitest";
import { forecastLines } from "./forecast.ts";

const hour = (date: string, number: number, fires: number) => ({
  starts_at: `${date}T00:00:00Z`,
  date,
  hour: number,
  fires,
});
const around = {
  from: "2026-10-24T20:00:00Z",
  to: "2026-10-26T00:00:00Z",
  timezone: "Europe/Berlin",
  quarters: [],
  is_capped: false,
};
const named = (...names: string[]) => names.map((name) => ({ id: name, name }));

test("prints a row for each day, sums an hour that occurs twice, and lists collisions in the zone", () => {
  const lines = forecastLines({
    ...around,
    schedule_count: 3,
    hours: [
      hour("2026-10-24", 22, 0),
      hour("2026-10-24", 23, 12),
      hour("2026-10-25", 0, 1),
      hour("2026-10-25", 1, 1250),
      hour("2026-10-25", 2, 1),
      hour("2026-10-25", 2, 2),
      hour("2026-10-25", 3, 2_500_000),
    ],
    collisions: [
      { at: "2026-10-25T00:30:00Z", schedule_count: 3, schedules: named("a", "b"), move: null },
      { at: "2026-10-25T01:30:00Z", schedule_count: 2, schedules: named("a", "b\u001b"), move: null },
    ],
  });
  expect(lines[0]).toBe("3 active schedules, slots by hour (Europe/Berlin)");
  expect(lines.slice(2)).toEqual([
    `DAY          ${Array.from({ length: 24 }, (_, index) => String(index).padStart(2, "0")).join("   ")}`,
    `2026-10-24 ${" ".repeat(22 * 5)}   .   12`,
    "2026-10-25    1 1.3k    3 2.5M",
    "",
    "MINUTE                       SCHEDULES  NAMES",
    "Sun 2026-10-25 02:30 +02:00  3          a, b, …",
    "Sun 2026-10-25 02:30 +01:00  2          a, b\\u001b",
  ]);
});

test("says when nothing will fire, and when nothing collides", () => {
  expect(forecastLines({ ...around, schedule_count: 0, hours: [hour("2026-10-24", 1, 0)], collisions: [] })).toEqual([
    "no slots: 0 active schedules (Europe/Berlin)",
  ]);
  const one = forecastLines({ ...around, schedule_count: 1, hours: [hour("2026-10-24", 1, 1)], collisions: [] });
  expect(one.at(-1)).toBe("no minute in which several schedules fire");
});
