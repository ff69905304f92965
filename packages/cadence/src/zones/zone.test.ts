import { describe, expect, test } from "vitest";
import { cadenceFingerprint, compileCadence, zoneNames } from "../index.ts";
import { findZone } from "./zone.ts";

const at = (text: string) => Date.parse(text) / 1000;

describe("a zone", () => {
  test("is found by its name or an alias; no name is UTC", () => {
    expect(findZone("Asia/Calcutta")).toBe(findZone("Asia/Kolkata"));
    expect(findZone("").offsetAt(0)).toBe(0);
    expect(zoneNames().length).toBeGreaterThan(500);
    for (const name of zoneNames())
      expect(Number.isFinite(findZone(name).offsetAt(at("2026-06-01T00:00Z")))).toBe(true);
  });

  test.each(["localtime", "europe/berlin", "Mars/Base", "+02:00", "Factory", "x".repeat(2000)])(
    "%s is refused",
    (timezone) => {
      const refusal = { reason: "unknown_timezone", field: "timezone" };
      expect(() => compileCadence({ kind: "cron", expression: "* * * * *", timezone })).toThrow(
        expect.objectContaining(refusal),
      );
    },
  );

  test("without changes never changes", () => {
    expect(findZone("UTC").changeAfter(0)).toBe(Number.POSITIVE_INFINITY);
    expect(findZone("Asia/Tokyo").offsetAt(at("2150-06-01T00:00Z"))).toBe(32_400);
  });

  test("keeps its last offset after the year 2200", () => {
    expect(findZone("Europe/Berlin").changeAfter(at("2201-01-01T00:00Z"))).toBe(Number.POSITIVE_INFINITY);
  });
});

test("the fingerprint names the release of the zones", () => {
  expect(cadenceFingerprint).toMatch(/^svc-cadence\/1;tzdb=20\d\d[a-z]$/);
});
