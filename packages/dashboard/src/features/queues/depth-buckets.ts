import { plural, type QueueDepths } from "@svc/client";
import type { Amount } from "../../ui/charts/AmountChart.tsx";
import { count } from "../../ui/time/format.ts";

/** More points than this are indistinguishable on a screen. */
const mostBuckets = 180;

/**
 * The response's steps as chart buckets over [fromMs, toMs). If there are too many, several steps share a bucket, which holds
 * their maximum depth and minimum number of workers. A bucket without reports has no value.
 */
export function depthBuckets(
  { series, step_seconds }: Pick<QueueDepths, "series" | "step_seconds">,
  range: { fromMs: number; toMs: number },
): Amount[] {
  const stepMs = step_seconds * 1000;
  const first = Math.floor(range.fromMs / stepMs) * stepMs;
  const steps = Math.max(1, Math.ceil((range.toMs - first) / stepMs));
  const widthMs = Math.ceil(steps / mostBuckets) * stepMs;
  const found = Array.from({ length: Math.ceil((steps * stepMs) / widthMs) }, () => ({
    pending: null as number | null,
    consumers: null as number | null,
  }));
  for (const { t, pending, consumers } of series) {
    const bucket = found[Math.floor((Date.parse(t) - first) / widthMs)];
    if (bucket === undefined) continue;
    bucket.pending = Math.max(bucket.pending ?? 0, pending);
    bucket.consumers = Math.min(bucket.consumers ?? consumers, consumers);
  }
  return found.map(({ pending, consumers }, at) => ({
    fromMs: first + at * widthMs,
    toMs: first + (at + 1) * widthMs,
    value: pending,
    notes: [{ label: "workers", value: consumers === null ? "–" : count(consumers) }],
  }));
}

/** A one-sentence summary of the chart. */
export function depthSummary(buckets: readonly Amount[]): string {
  const known = buckets.flatMap(({ value }) => (value === null ? [] : [value]));
  if (known.length === 0) return "Waiting tasks: not reported.";
  const holes = buckets.length - known.length;
  return `Waiting tasks: ${count(known.at(-1) ?? 0)} at the end, between ${count(Math.min(...known))} and ${count(Math.max(...known))}${
    holes > 0 ? `; not reported in ${count(holes)} of ${plural(buckets.length, "interval")}` : ""
  }.`;
}
