import { describe, expect, test } from "vitest";
import { bucketText, decadeText, shortDuration, timeLabels, widthText } from "./axis.ts";

const noon = Date.UTC(2026, 10, 20, 12);
const hourMs = 3_600_000;

describe("the labels of a time axis", () => {
  test("of a day are hours of the zone's clock", () => {
    const range = { fromMs: noon - 24 * hourMs, toMs: noon };
    expect(timeLabels(range, 4, "UTC").map(({ text }) => text)).toEqual(["12:00", "18:00", "00:00", "06:00"]);
    expect(timeLabels(range, 4, "Asia/Kolkata").map(({ text }) => text)).toEqual(["18:00", "00:00", "06:00", "12:00"]);
  });

  test("of a week are days", () => {
    const range = { fromMs: noon - 7 * 24 * hourMs, toMs: noon };
    expect(timeLabels(range, 7, "UTC").map(({ text }) => text)).toEqual([
      "14 Nov",
      "15 Nov",
      "16 Nov",
      "17 Nov",
      "18 Nov",
      "19 Nov",
      "20 Nov",
    ]);
  });

  test("name the day at midnight where the range is longer than one", () => {
    const range = { fromMs: noon - 48 * hourMs, toMs: noon };
    expect(timeLabels(range, 4, "UTC").map(({ text }) => text)).toEqual(["12:00", "19 Nov", "12:00", "20 Nov"]);
  });
});

test("decades of a latency axis carry their unit", () => {
  expect([1, 100, 1000, 1e5, 1e6].map(decadeText)).toEqual(["1 ms", "100 ms", "1 s", "100 s", "1,000 s"]);
});

test("a span shows the second date only if the time alone is ambiguous", () => {
  expect(bucketText(noon + 11.75 * hourMs, noon + 12 * hourMs, "UTC")).toBe("2026-11-20 23:45 to 00:00");
  expect(bucketText(noon, noon + hourMs / 4, "UTC")).toBe("2026-11-20 12:00 to 12:15");
  expect(bucketText(noon, noon + 24 * hourMs, "UTC")).toBe("2026-11-20 12:00 to 2026-11-21 12:00");
});

test("a line label has a single unit", () => {
  const texts = [480, 4_820, 30_400, 59_999, 234_000, 9_000_000].map(shortDuration);
  expect(texts).toEqual(["480 ms", "4.8 s", "30 s", "59 s", "3.9 min", "2.5 h"]);
});

test("the width of a bucket is in its largest whole unit", () => {
  expect([60_000, 900_000, hourMs, 24 * hourMs].map(widthText)).toEqual(["1 min", "15 min", "1 h", "1 d"]);
});
