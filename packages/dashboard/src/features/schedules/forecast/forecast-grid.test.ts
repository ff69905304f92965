import { describe, expect, test } from "vitest";
import { cellText, type ForecastHour, forecastDays, forecastLevel, forecastSummary } from "./forecast-grid.ts";

const hour = (date: string, at: number, fires: number): ForecastHour => ({ starts_at: "", date, hour: at, fires });

describe("the grid", () => {
  const days = forecastDays([
    hour("2026-10-24", 23, 4),
    hour("2026-10-25", 1, 1),
    hour("2026-10-25", 2, 3),
    hour("2026-10-25", 2, 2),
    hour("2026-10-25", 4, 0),
  ]);
  const cellOf = (day: number, at: number) => days[day]?.cells[at] as (typeof days)[0]["cells"][0];

  test("has 24 cells for each day, in order", () => {
    expect(days.map(({ date, cells }) => [date, cells.length])).toEqual([
      ["2026-10-24", 24],
      ["2026-10-25", 24],
    ]);
  });

  test("adds the fires of an hour that occurs twice, and marks one that does not occur", () => {
    expect(cellText(cellOf(1, 2))).toBe("2026-10-25 02:00: 5 fires, the hour occurs twice");
    expect(cellText(cellOf(1, 3))).toBe("2026-10-25 03:00: not in the forecast");
    expect(cellText(cellOf(1, 1))).toBe("2026-10-25 01:00: 1 fire");
  });

  test("is summarised with its peak", () => {
    expect(forecastSummary(days.flatMap(({ cells }) => cells))).toBe(
      "10 fires in 24 hours, at most 5 in an hour, from 2026-10-25 02:00",
    );
    expect(forecastSummary(forecastDays([hour("2026-10-25", 2, 0)]).flatMap(({ cells }) => cells))).toBe(
      "No fires in 24 hours",
    );
    const week = ["20", "21", "22"].flatMap((day) =>
      Array.from({ length: 24 }, (_, at) => hour(`2026-10-${day}`, at, 1)),
    );
    expect(forecastSummary(forecastDays(week).flatMap(({ cells }) => cells))).toBe(
      "72 fires in 3 days, at most 1 in an hour, from 2026-10-20 00:00",
    );
  });
});

test("a single fire is visible next to many", () => {
  expect([0, 1, 250, 251, 1000].map((fires) => forecastLevel(fires, 1000))).toEqual([0, 1, 1, 2, 4]);
});
