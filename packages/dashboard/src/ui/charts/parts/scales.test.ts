import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countTicks, logScale, maximumLines, timeTicks } from "./scales.ts";

const hourMs = 3_600_000;
const utc = () => 0;

describe("countTicks", () => {
  test("are round and below the maximum", () => {
    expect(countTicks(1242)).toEqual([0, 500, 1000]);
    expect(countTicks(4)).toEqual([0, 1, 2, 3, 4]);
    expect(countTicks(31)).toEqual([0, 10, 20, 30]);
  });

  test("are only zero without counts", () => {
    expect(countTicks(0)).toEqual([0]);
    expect(countTicks(Number.NaN)).toEqual([0]);
  });

  test("are whole, evenly spaced, within the range and at most five", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e12 }), (most) => {
        const ticks = countTicks(most);
        const [zero, step] = ticks;
        expect(zero).toBe(0);
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        expect(ticks.length).toBeLessThanOrEqual(maximumLines);
        expect(ticks.every((tick, at) => tick === at * (step ?? 0) && tick <= most)).toBe(true);
      }),
    );
  });
});

describe("logScale", () => {
  test("covers whole decades", () => {
    expect(logScale(140, 30_000).decades).toEqual([100, 1000, 10_000, 100_000]);
    expect(logScale(1000, 1000).decades).toEqual([1000, 10_000]);
  });

  test("drops lines beyond five", () => {
    expect(logScale(1, 1e8).decades).toEqual([1, 100, 1e4, 1e6, 1e8]);
  });

  const duration = fc.double({ min: 0.01, max: 1e10, noNaN: true });

  test("contains both ends, keeps the order and has at most five lines", () => {
    fc.assert(
      fc.property(duration, duration, (one, other) => {
        const [least, most] = one < other ? [one, other] : [other, one];
        const { decades, place } = logScale(least, most);
        expect(decades.length).toBeGreaterThanOrEqual(2);
        expect(decades.length).toBeLessThanOrEqual(maximumLines);
        expect(decades[0]).toBeLessThanOrEqual(least * 1.000001);
        expect(decades.at(-1)).toBeGreaterThanOrEqual(most * 0.999999);
        expect(decades.every((decade) => Math.abs(Math.log10(decade) % 1) < 1e-9)).toBe(true);
        expect(place(least)).toBeLessThanOrEqual(place(most));
        expect(place(least)).toBeGreaterThanOrEqual(0);
        expect(place(most)).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe("timeTicks", () => {
  const noon = Date.UTC(2026, 10, 20, 12);

  test("of a day are round hours", () => {
    const { at, stepMs } = timeTicks({ fromMs: noon - 24 * hourMs, toMs: noon }, 8, utc);
    expect(stepMs).toBe(3 * hourMs);
    expect(at.map((one) => new Date(one).getUTCHours())).toEqual([12, 15, 18, 21, 0, 3, 6, 9]);
  });

  test("follow the clock of the zone, whose hours need not begin with those of UTC", () => {
    const kathmandu = 5.75 * hourMs;
    const { at } = timeTicks({ fromMs: noon - 6 * hourMs, toMs: noon }, 6, () => kathmandu);
    expect(at.every((one) => (one + kathmandu) % hourMs === 0)).toBe(true);
    expect(at).toHaveLength(6);
  });

  test("stay on round times after the clock is set back", () => {
    // Berlin, 25 October 2026, 01:00 UTC.
    const change = Date.UTC(2026, 9, 25, 1);
    const berlin = (at: number) => (at < change ? 2 * hourMs : hourMs);
    const { at } = timeTicks({ fromMs: change - 12 * hourMs, toMs: change + 12 * hourMs }, 8, berlin);
    expect(at.length).toBeGreaterThan(5);
    expect(at.every((one) => (one + berlin(one)) % (3 * hourMs) === 0)).toBe(true);
  });

  test("are within the range, in order and limited in number", () => {
    const span = fc.integer({ min: 60_000, max: 90 * 24 * hourMs });
    const quarters = fc.integer({ min: -48, max: 56 });
    fc.assert(
      fc.property(span, fc.integer({ min: 1, max: 12 }), quarters, (spanMs, atMost, quarter) => {
        const range = { fromMs: noon - spanMs, toMs: noon };
        const offset = quarter * 900_000;
        const { at, stepMs } = timeTicks(range, atMost, () => offset);
        expect(at.length).toBeLessThanOrEqual(atMost);
        expect(at.every((one) => one >= range.fromMs && one <= range.toMs)).toBe(true);
        expect(at.every((one, index) => index === 0 || one - (at[index - 1] ?? 0) === stepMs)).toBe(true);
      }),
    );
  });
});
