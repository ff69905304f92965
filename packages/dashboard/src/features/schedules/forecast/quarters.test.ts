import { expect, test } from "vitest";
import { peakOf, peakText, quarterSummary, quartersOf, quarterText } from "./quarters.ts";

const forecast = [
  { starts_at: "2026-11-21T02:45:00.000Z", fires: 3, most_per_minute: 1 },
  { starts_at: "2026-11-21T03:00:00.000Z", fires: 14, most_per_minute: 9 },
  { starts_at: "2026-11-21T03:15:00.000Z", fires: 14, most_per_minute: 1 },
];

test("a forecast has a peak, the first one, and its busiest minute", () => {
  const quarters = quartersOf(forecast);
  const peak = peakOf(quarters);
  expect(peak && peakText(peak, "UTC")).toBe("14 at 03:00, 9 in one minute");
  expect(peak && quarterText(peak, "Europe/Berlin")).toBe("2026-11-21 04:00: 14 fires, up to 9 in one minute");
  expect(quarterSummary(quarters, "UTC")).toBe(
    "Between 3 and 14 fires in each quarter of an hour of the next 24 hours. The peak is 14 at 03:00, 9 in one minute",
  );
});

test("the fires of an edited schedule are added, and its busiest minute is then not known", () => {
  const at = Date.parse("2026-11-21T03:15:00.000Z");
  const quarters = quartersOf(forecast, new Map([[at, 2]]));
  expect(quarters.map(({ fires, own }) => [fires, own])).toEqual([
    [3, 0],
    [14, 0],
    [16, 2],
  ]);
  const peak = peakOf(quarters);
  expect(peak && quarterText(peak, "UTC")).toBe("2026-11-21 03:15: 16 fires, 2 of this schedule");
});

test("a forecast without fires has no peak", () => {
  const quarters = quartersOf(forecast.map((one) => ({ ...one, fires: 0, most_per_minute: 0 })));
  expect(peakOf(quarters)).toBe(null);
  expect(quarterSummary(quarters, "UTC")).toBe("No fires in the next 24 hours");
});
