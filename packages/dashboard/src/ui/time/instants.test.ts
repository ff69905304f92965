import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fullText, minuteText, zonedMs, zoneOffsetMs } from "./instants.ts";

describe("zonedMs", () => {
  test.each([
    ["2026-11-20T17:38", "UTC", "2026-11-20T17:38:00.000Z"],
    ["2026-11-20T17:38:05", "Europe/Berlin", "2026-11-20T16:38:05.000Z"],
    ["2026-07-01T00:00", "Asia/Kolkata", "2026-06-30T18:30:00.000Z"],
    ["2026-03-29T03:30", "Europe/Berlin", "2026-03-29T01:30:00.000Z"],
  ])("reads %s in %s", (local, zone, iso) => {
    expect(new Date(zonedMs(local, zone)).toISOString()).toBe(iso);
  });

  test("is NaN for an invalid time", () => {
    expect(zonedMs("", "UTC")).toBeNaN();
  });

  test("parses what was printed, except for the repeated hour of a zone", () => {
    const zones = fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Auckland");
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_000_000_000 }), zones, (seconds, zone) => {
        const printed = fullText(seconds * 1000, zone);
        expect(fullText(zonedMs(printed.replace(" ", "T"), zone), zone)).toBe(printed);
      }),
    );
  });
});

describe("minuteText", () => {
  test("shows seconds only if not zero", () => {
    expect(minuteText(Date.parse("2026-11-20T17:38:00Z"), "UTC")).toBe("2026-11-20 17:38");
    expect(minuteText(Date.parse("2026-11-20T17:38:09Z"), "UTC")).toBe("2026-11-20 17:38:09");
  });
});

test("a zone's offset is that of the instant", () => {
  expect(zoneOffsetMs(Date.UTC(2026, 6, 1), "Europe/Berlin")).toBe(2 * 3_600_000);
  expect(zoneOffsetMs(Date.UTC(2026, 0, 1, 0, 0, 0, 250), "Europe/Berlin")).toBe(3_600_000);
  expect(zoneOffsetMs(Date.UTC(2026, 10, 20, 12), "America/St_Johns")).toBe(-3.5 * 3_600_000);
});
