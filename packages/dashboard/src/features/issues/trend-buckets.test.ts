import { expect, test } from "vitest";
import { trendBuckets } from "./trend-buckets.ts";

test("a trend becomes equal, consecutive buckets that end with the range", () => {
  expect(trendBuckets([2, 0, 5], { fromMs: 1000, toMs: 1100 })).toEqual([
    { fromMs: 1000, toMs: 1033, value: 2 },
    { fromMs: 1033, toMs: 1067, value: 0 },
    { fromMs: 1067, toMs: 1100, value: 5 },
  ]);
  expect(trendBuckets([], { fromMs: 0, toMs: 10 })).toEqual([]);
});
