import { describe, expect, test } from "vitest";
import { dayText, heatDays, heatLevel, heatSummary } from "./heat-days.ts";

const now = Date.parse("2026-11-20T17:38:00Z");
const fire = (scheduled_for: string, status = "acked_success") => ({ scheduled_for, status });
const dayOf = (days: ReturnType<typeof heatDays>, day: string) => days.find((one) => one.day === day);

describe("the days", () => {
  const fires = [
    fire("2026-11-20T03:00:00Z"),
    fire("2026-11-19T23:30:00Z", "acked_failed"),
    fire("2026-11-19T03:00:00Z"),
    fire("2026-10-01T03:00:00Z"),
  ];

  test("are the last 30 with today, and count the fires of the zone's day", () => {
    const days = heatDays(fires, { zone: "Europe/Berlin", now, isCut: false });
    expect(days).toHaveLength(30);
    expect(days.at(-1)).toMatchObject({ day: "2026-11-20", fires: 2, failed: 1 });
    expect(dayOf(days, "2026-11-19")).toMatchObject({ fires: 1, failed: 0 });
    expect(days[0]).toMatchObject({ day: "2026-10-22", fires: 0, isKnown: true });
    expect(dayOf(heatDays(fires, { zone: "UTC", now, isCut: false }), "2026-11-19")).toMatchObject({ failed: 1 });
  });

  test("before the oldest fire of a cut list are not known", () => {
    const days = heatDays(fires.slice(0, 3), { zone: "UTC", now, isCut: true });
    expect(days.filter(({ isKnown }) => isKnown).map(({ day }) => day)).toEqual(["2026-11-19", "2026-11-20"]);
    expect(dayText({ ...(days[0] as (typeof days)[0]) })).toBe("2026-10-22: not loaded");
  });

  test("are placed in weeks that begin on Monday", () => {
    const days = heatDays([], { zone: "UTC", now, isCut: false });
    // A Friday, and the Monday and Sunday next to each other.
    expect(days.at(-1)).toMatchObject({ weekday: 4, week: 4 });
    expect(dayOf(days, "2026-11-15")).toMatchObject({ weekday: 6, week: 3 });
    expect(dayOf(days, "2026-11-16")).toMatchObject({ weekday: 0, week: 4 });
    expect(days[0]).toMatchObject({ weekday: 3, week: 0 });
  });
});

test("the level is 0 without fires and 4 at the most", () => {
  expect([0, 1, 25, 26, 100].map((count) => heatLevel(count, 100))).toEqual([0, 1, 1, 2, 4]);
});

test("texts name days, counts and failures", () => {
  const days = heatDays([fire("2026-11-20T03:00:00Z", "failed"), fire("2026-11-20T04:00:00Z")], {
    zone: "UTC",
    now,
    isCut: false,
    days: 2,
  });
  expect(days.map(dayText)).toEqual(["2026-11-19: no fires", "2026-11-20: 2 fires, 1 failed"]);
  expect(heatSummary(days)).toBe("Fires of the last 2 days: 2, 1 failed on 2026-11-20");
  expect(heatSummary(days.slice(0, 1))).toBe("Fires of the last 1 day: 0");
});
