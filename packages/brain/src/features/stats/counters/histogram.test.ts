import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addStored,
  addToHistogram,
  countOf,
  decodeHistogram,
  encodeHistogram,
  type Histogram,
  histogramError,
  quantileOf,
  quantilesOf,
} from "./histogram.ts";

const histogramOf = (values: number[]): Histogram => {
  const histogram: Histogram = new Map();
  for (const value of values) addToHistogram(histogram, value);
  return histogram;
};
const durations = fc.array(fc.integer({ min: 0, max: 2_147_483_647 }), { minLength: 1, maxLength: 60 });

describe("a histogram", () => {
  test("returns every quantile within its stated error", () => {
    fc.assert(
      fc.property(durations, fc.double({ min: 0, max: 1, noNaN: true }), (values, q) => {
        const sorted = [...values].sort((a, b) => a - b);
        const exact = sorted[Math.max(1, Math.ceil(q * sorted.length)) - 1] as number;
        const read = quantileOf(histogramOf(values), q) as number;
        expect(Math.abs(read - exact)).toBeLessThanOrEqual(exact * histogramError * 1.000001);
      }),
    );
    expect(histogramError).toBeLessThanOrEqual(0.05);
  });

  test("merges to the histogram of all values, also through its stored text", () => {
    fc.assert(
      fc.property(durations, durations, (a, b) => {
        const merged = decodeHistogram(encodeHistogram(histogramOf(a)));
        addStored(merged, encodeHistogram(histogramOf(b)));
        expect(encodeHistogram(merged)).toBe(encodeHistogram(histogramOf([...b, ...a])));
        const read: Histogram = new Map();
        addStored(read, `{}${encodeHistogram(histogramOf(a))}{}${encodeHistogram(histogramOf(b))}`);
        expect(read).toEqual(merged);
      }),
    );
  });

  test("reads any text that it wrote, whatever the counts", () => {
    const counts = fc.dictionary(fc.nat(999).map(String), fc.integer({ min: 1, max: 2 ** 40 }));
    fc.assert(
      fc.property(counts, (given) => {
        const histogram = new Map(Object.entries(given).map(([bucket, count]) => [Number(bucket), count]));
        expect(decodeHistogram(encodeHistogram(histogram))).toEqual(histogram);
      }),
    );
  });

  test("returns several quantiles at once with the same values as one by one", () => {
    const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 });
    fc.assert(
      fc.property(durations, shares, (values, given) => {
        const histogram = histogramOf(values);
        const rising = [...given].sort((a, b) => a - b);
        expect(quantilesOf(histogram, rising)).toEqual(rising.map((q) => quantileOf(histogram, q)));
        expect(countOf(histogram)).toBe(values.length);
      }),
    );
  });

  test("without values is stored as null and has no quantile", () => {
    expect(encodeHistogram(new Map())).toBeNull();
    expect(quantileOf(decodeHistogram(null), 0.5)).toBeNull();
  });

  test("stays small: no more than 300 buckets for any durations", () => {
    const histogram = histogramOf(Array.from({ length: 2000 }, (_, i) => Math.floor(1.011 ** i)));
    expect(histogram.size).toBeLessThan(300);
  });
});
