import { expect, test } from "vitest";
import { paceOf, type Sample, withSample } from "./pace.ts";

const samples = (...pairs: [seconds: number, done: number][]): readonly Sample[] =>
  pairs.reduce<readonly Sample[]>((kept, [seconds, done]) => withSample(kept, { at: seconds * 1000, done }), []);

test("is what the tasks of the last half minute come to in a minute", () => {
  expect(paceOf(samples([1, 0], [10, 50], [31, 100]))).toBe(200);
  // What was faster before does not count any more.
  expect(paceOf(samples([1, 0], [60, 6000], [90, 6030], [120, 6060]))).toBe(60);
});

test("is not told from one look, from two at once, or when nothing moved", () => {
  expect(paceOf([])).toBeNull();
  expect(paceOf(samples([1, 5]))).toBeNull();
  expect(paceOf(samples([1, 5], [2, 9]))).toBeNull();
  expect(paceOf(samples([1, 5], [20, 5]))).toBeNull();
});

test("an answer without a time is passed over", () => {
  expect(samples([0, 5], [10, 10], [20, 20])).toEqual(samples([10, 10], [20, 20]));
});

test("an answer that is older than the last one is passed over", () => {
  expect(samples([1, 0], [10, 50], [5, 20], [12, 40])).toEqual(samples([1, 0], [10, 50]));
});
