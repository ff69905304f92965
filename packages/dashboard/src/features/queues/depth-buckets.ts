import type { QueueDepths } from "@svc/client";
import type { Amount } from "../../ui/charts/AmountChart.tsx";
import { count } from "../../ui/time/format.ts";

/** More points than this are not told apart on a screen. */
const mostBuckets = 180;

/**
 * The steps of the answer as buckets of a chart over [fromMs, toMs): several steps share one where there are too many; each shows the
 * greatest depth in it and the fewest workers. A bucket in which nothing was reported has no value.
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

/** What the chart shows, in a sentence. */
export function depthSummary(buckets: readonly Amount[]): string {
  const known = buckets.flatMap(({ value }) => (value === null ? [] : [value]));
  if (known.length === 0) return "Waiting tasks: nothing was reported.";
  const holes = buckets.length - known.length;
  return `Waiting tasks: ${count(known.at(-1) ?? 0)} at the end, between ${count(Math.min(...known))} and ${count(Math.max(...known))}${
    holes > 0 ? `; not reported in ${count(holes)} of ${count(buckets.length)} parts` : ""
  }.`;
}
