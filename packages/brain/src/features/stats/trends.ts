import type { Static } from "typebox";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { projectTotals } from "./reads.ts";
import type { TrendsQuery, TrendsReply } from "./schemas.ts";
import { defaultBucket, planBuckets, readRange, type TimeRange, widthFor, windowMs } from "./time-range.ts";

const fieldOfKind = {
  "task.succeeded": "success",
  "task.failed": "failure",
  "task.retried": "retry",
  "task.revoked": "revoked",
  "task.rejected": "rejected",
} as const;

type Point = Static<typeof TrendsReply>["series"][number];

/** Counts of stored events by UTC bucket, zero-filled; the last bucket is the current one. */
export async function readTrends(
  database: BrainDatabase,
  request: { projectId: string; query: TrendsQuery; now: Date },
) {
  const { projectId, query, now } = request;
  const windowName = query.window ?? "24h";
  const custom = readRange(query, now);
  const range: TimeRange = custom ?? { from: new Date(now.getTime() - windowMs[windowName]), to: now };
  const wanted = query.bucket ?? (custom === null ? defaultBucket[windowName] : widthFor(range));
  const { bucket, widthMs, from, count } = planBuckets(range, wanted, now);
  const totals = await projectTotals(
    database,
    { projectId, kinds: Object.keys(fieldOfKind) },
    { from, to: range.to },
    { widthMs, now },
  );
  const series: Point[] = Array.from({ length: count }, (_, index) => ({
    t: new Date(from.getTime() + index * widthMs),
    success: 0,
    failure: 0,
    retry: 0,
    revoked: 0,
    rejected: 0,
    total: 0,
    avg_runtime_ms: null,
  }));
  const runtimes = new Map<Point, { sum: number; count: number }>();
  for (const { bucket_at, kind, count, run_ms_sum, run_count } of totals) {
    const point = series[Math.floor((bucket_at.getTime() - from.getTime()) / widthMs)];
    if (point === undefined) continue;
    point[fieldOfKind[kind as keyof typeof fieldOfKind]] += count;
    point.total += count;
    const runtime = runtimes.get(point) ?? { sum: 0, count: 0 };
    runtimes.set(point, { sum: runtime.sum + run_ms_sum, count: runtime.count + run_count });
  }
  for (const [point, { sum, count }] of runtimes) if (count > 0) point.avg_runtime_ms = sum / count;
  return { window: custom === null ? windowName : "custom", bucket, series };
}
