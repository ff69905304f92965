import type { Amount } from "../../ui/charts/AmountChart.tsx";

/** A trend's values as equal chart buckets over [fromMs, toMs). */
export function trendBuckets(trend: readonly number[], { fromMs, toMs }: { fromMs: number; toMs: number }): Amount[] {
  const widthMs = (toMs - fromMs) / Math.max(1, trend.length);
  return trend.map((value, at) => ({
    fromMs: Math.round(fromMs + at * widthMs),
    toMs: Math.round(fromMs + (at + 1) * widthMs),
    value,
  }));
}
