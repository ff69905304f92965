import { expect, test } from "vitest";
import { type Arrivals, isTooFast, withArrivals } from "./tail-pace.ts";

test("more than fifty new tasks per second are too fast, but not the same number over a longer time", () => {
  let arrivals: Arrivals = [];
  const isTooFastWith = (amount: number, nowMs: number) => {
    arrivals = withArrivals(arrivals, amount, nowMs);
    return isTooFast(arrivals);
  };
  expect(isTooFastWith(200, 0)).toBe(false);
  expect(isTooFastWith(1, 0)).toBe(true);
  expect(isTooFastWith(199, 4_000)).toBe(false);
  expect(isTooFastWith(1, 7_900)).toBe(false);
  expect(isTooFastWith(1, 7_900)).toBe(true);
  expect(isTooFastWith(198, 8_000)).toBe(false);
  expect(arrivals).toHaveLength(3);
});
