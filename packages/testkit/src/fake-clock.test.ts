import { describe, expect, test } from "vitest";
import { createFakeClock } from "./fake-clock.ts";

describe("createFakeClock", () => {
  test("does not move until it is advanced, then moves wall and monotonic time together", () => {
    const clock = createFakeClock("2026-03-01T00:00:00.000Z");
    expect(clock.now()).toEqual(clock.now());

    clock.advance(1500);

    expect(clock.now().toISOString()).toBe("2026-03-01T00:00:01.500Z");
    expect(clock.monotonicMs()).toBe(1500);
  });

  test("keeps monotonic time when wall time is corrected backwards", () => {
    const clock = createFakeClock("2026-03-01T00:00:00.000Z");
    clock.advance(10);

    clock.setWall(new Date("2020-01-01T00:00:00.000Z"));

    expect(clock.now().getUTCFullYear()).toBe(2020);
    expect(clock.monotonicMs()).toBe(10);
  });

  test("returns dates that a caller may change without moving the clock", () => {
    const clock = createFakeClock("2026-03-01T00:00:00.000Z");

    clock.now().setUTCFullYear(1999);

    expect(clock.now().getUTCFullYear()).toBe(2026);
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])("refuses to advance by %s", (stepMs) => {
    expect(() => createFakeClock().advance(stepMs)).toThrow(RangeError);
  });
});
