import { expect, test } from "vitest";
import { paceOf, type Sample, withSample } from "./pace.ts";

const samples = (...pairs: [seconds: number, done: number][]): readonly Sample[] =>
  pairs.reduce<readonly Sample[]>((kept, [seconds, done]) => withSample(kept, { at: seconds * 1000, done }), []);

test("the pace is that of the last 30 s, per minute", () => {
  expect(paceOf(samples([1, 0], [10, 50], [31, 100]))).toBe(200);
  // Samples before the window do not count.
  expect(paceOf(samples([1, 0], [60, 6000], [90, 6030], [120, 6060]))).toBe(60);
});

test("the pace is null for one sample, for two within 2 s, and without progress", () => {
  expect(paceOf([])).toBeNull();
  expect(paceOf(samples([1, 5]))).toBeNull();
  expect(paceOf(samples([1, 5], [2, 9]))).toBeNull();
  expect(paceOf(samples([1, 5], [20, 5]))).toBeNull();
});

test("a sample without a time is ignored", () => {
  expect(samples([0, 5], [10, 10], [20, 20])).toEqual(samples([10, 10], [20, 20]));
});

test("a sample older than the last one is ignored", () => {
  expect(samples([1, 0], [10, 50], [5, 20], [12, 40])).toEqual(samples([1, 0], [10, 50]));
});
