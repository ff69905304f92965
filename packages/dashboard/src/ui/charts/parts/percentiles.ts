import type { Latency } from "@svc/client";
import type { Percentiles } from "../PercentileChart.tsx";

/** The two measured durations of a task. */
export type LatencyKind = "run" | "wait";

export const latencyKinds: readonly { value: LatencyKind; label: string; title: string }[] = [
  { value: "run", label: "run", title: "From start to end of an attempt" },
  { value: "wait", label: "wait", title: "From the queue to the start" },
];

/** The bucket widths of the server, narrowest first. */
export const bucketNames = ["1m", "5m", "15m", "1h", "1d"] as const;
export type BucketName = (typeof bucketNames)[number];
export const bucketWidthMs: Readonly<Record<BucketName, number>> = {
  "1m": 60_000,
  "5m": 300_000,
  "15m": 900_000,
  "1h": 3_600_000,
  "1d": 86_400_000,
};

/** Converts the server's measurements for the chart. */
export function percentilesOf({ series, bucket }: Latency, kind: LatencyKind): Percentiles[] {
  return series.map((point) => {
    const fromMs = Date.parse(point.t);
    return { fromMs, toMs: fromMs + bucketWidthMs[bucket], values: point[kind] };
  });
}
