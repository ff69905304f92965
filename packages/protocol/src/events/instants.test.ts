import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { msInstant, readInstant } from "./instants.ts";
import { batchTimeOf, eventTimeOf, retentionHorizonMs } from "./times.ts";

const utc = (text: unknown) => readInstant(text, { zone: "utc" });
const at = Date.parse("2026-01-02T03:04:05.000Z");

describe("readInstant", () => {
  test.each([
    ["2026-01-02T03:04:05Z", at],
    ["2026-01-02T03:04:05.000Z", at],
    ["2026-01-02T03:04:05", at],
    ["2026-01-02 03:04:05", at],
    ["2026-01-02T03:04:05+00:00", at],
    ["2026-01-02T05:34:05+02:30", at],
    ["2026-01-01T22:04:05-0500", at],
    ["2026-01-02T04:04:05+01", at],
    ["2026-01-02T03:04:05.9999999Z", at + 999],
    ["2026-01-02T03:04:05.1Z", at + 100],
    ["2026-01-02T03:04:05,12Z", at + 120],
    ["1969-12-31T23:59:59.9999Z", -1],
    ["2024-02-29T00:00:00Z", Date.UTC(2024, 1, 29)],
    ["0001-01-01T00:00:00Z", -62_135_596_800_000],
  ])("reads %s and cuts below the millisecond", (text, expected) => {
    expect(utc(text)).toBe(expected);
  });

  test.each([
    "",
    "2026-01-02",
    "2026-02-30T00:00:00Z",
    "2025-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-02T24:00:00Z",
    "2026-01-02T03:60:00Z",
    "2026-01-02T03:04:60Z",
    "2026-01-02T03:04:05+24:00",
    "0000-01-01T00:00:00Z",
    "0001-01-01T00:00:00+01:00",
    "9999-12-31T23:59:59-01:00",
    "2026-1-2T03:04:05Z",
    "2026-01-02T03:04:05Z ",
    `2026-01-02T03:04:05.${"1".repeat(60)}Z`,
    "now",
    1767323045000,
    null,
  ])("cannot read %j", (text) => {
    expect(utc(text)).toBeNull();
  });

  test("refuses a text without zone where one is required", () => {
    expect(readInstant("2026-01-02T03:04:05", { zone: "required" })).toBeNull();
    expect(readInstant("2026-01-02T03:04:05z", { zone: "required" })).toBe(at);
    expect(readInstant("2026-01-02T03:04:05-00:00", { zone: "required" })).toBe(at);
  });

  test("reads the form that agents print as it reads every other, right or wrong", () => {
    const two = fc.integer({ min: 0, max: 99 }).map((value) => String(value).padStart(2, "0"));
    const year = fc.oneof(fc.integer({ min: 0, max: 9999 }), fc.constantFrom(0, 99, 100, 1900, 2000, 2024, 2026));
    const part = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom("01", "02", "12", "23", "28", "29", "30") },
      { weight: 1, arbitrary: two },
    );
    fc.assert(
      fc.property(fc.tuple(year, part, part, part, part, part, fc.integer({ min: 0, max: 999 })), (parts) => {
        const [y, month, day, hour, minute, second, ms] = parts;
        const date = `${String(y).padStart(4, "0")}-${month}-${day}`;
        const time = `${hour}:${minute}:${second}.${String(ms).padStart(3, "0")}`;
        // A blank instead of the T goes through the general reader.
        expect(utc(`${date}T${time}Z`)).toBe(utc(`${date} ${time}Z`));
      }),
      { numRuns: 2000 },
    );
    for (const index of [0, 5, 8, 11, 14, 17, 20]) {
      const text = "2026-01-02T03:04:05.678Z";
      for (const wrong of ["/", ":", "a", " ", "٣"]) {
        expect(utc(text.slice(0, index) + wrong + text.slice(index + 1))).toBeNull();
      }
    }
  });

  test("reads back what msInstant prints", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true }),
        (date) => {
          expect(utc(msInstant(date))).toBe(date.getTime());
          expect(msInstant(date.getTime())).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        },
      ),
    );
  });
});

describe("the time of a batch", () => {
  const ts = "2026-01-02T03:04:05Z";

  test("is the earlier of sealed_at and ts", () => {
    expect(batchTimeOf(ts, "2026-01-02T03:04:01Z")).toBe(at - 4_000);
    expect(batchTimeOf(ts, "2026-01-02T03:09:01Z")).toBe(at);
  });

  test("is ts alone without a readable sealed_at", () => {
    expect(batchTimeOf(ts, null)).toBe(at);
    expect(batchTimeOf(ts, "yesterday")).toBe(at);
  });

  test("replaces a missing, unreadable or future time of an event, to the millisecond", () => {
    expect(eventTimeOf("2026-01-02T03:04:04Z", at)).toEqual({ atMs: at - 1_000, isReplaced: false });
    expect(eventTimeOf(msInstant(at + 60_000), at)).toEqual({ atMs: at + 60_000, isReplaced: false });
    expect(eventTimeOf(msInstant(at + 60_001), at)).toEqual({ atMs: at, isReplaced: true });
    expect(eventTimeOf(undefined, at)).toEqual({ atMs: at, isReplaced: true });
    expect(eventTimeOf("soon", at)).toEqual({ atMs: at, isReplaced: true });
  });
});

test("the retention horizon is a midnight in UTC, across months", () => {
  expect(msInstant(retentionHorizonMs(new Date("2026-03-02T23:30:00Z"), 30))).toBe("2026-01-31T00:00:00.000Z");
});
