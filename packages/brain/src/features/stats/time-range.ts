import { days, hours, minutes } from "../../platform/durations.ts";
import { invalid } from "../../platform/http/error-codes.ts";
import { parseInstant } from "../../platform/http/schemas.ts";
import { bucketStart, hoursBegin, minutesBegin, nextBucketStart } from "./counters/buckets.ts";

export const windowMs = { "1h": hours(1), "6h": hours(6), "24h": days(1), "72h": days(3), "7d": days(7) } as const;
export type WindowName = keyof typeof windowMs;
export const windowNames = Object.keys(windowMs) as WindowName[];

export const bucketMs = {
  "1m": minutes(1),
  "5m": minutes(5),
  "15m": minutes(15),
  "1h": hours(1),
  "1d": days(1),
} as const;
export type BucketName = keyof typeof bucketMs;
export const bucketNames = Object.keys(bucketMs) as BucketName[];

/** The bucket of a window when none is requested. */
export const defaultBucket = {
  "1h": "1m",
  "6h": "5m",
  "24h": "15m",
  "72h": "1h",
  "7d": "1h",
} as const satisfies Record<WindowName, BucketName>;

export const maxRangeMs = days(90);

export interface TimeRange {
  readonly from: Date;
  readonly to: Date;
}

/** The range of since and until, or null when neither is given. until defaults to now, since to 24 h before until; at most 90 days. */
export function readRange(query: { since?: string; until?: string }, now: Date): TimeRange | null {
  if (query.since === undefined && query.until === undefined) return null;
  const to = (query.until === undefined ? null : parseInstant(query.until)) ?? now;
  const from = (query.since === undefined ? null : parseInstant(query.since)) ?? new Date(to.getTime() - days(1));
  if (from >= to) throw invalid({ loc: ["query", "since"], type: "range", message: "since must be before until" });
  if (to.getTime() - from.getTime() > maxRangeMs) {
    throw invalid({ loc: ["query", "since"], type: "range", message: "since and until must be at most 90 days apart" });
  }
  return { from, to };
}

/** The range of since and until, which is the last 24 h when neither is given. */
export const rangeOrLastDay = (query: { since?: string; until?: string }, now: Date): TimeRange =>
  readRange(query, now) ?? { from: new Date(now.getTime() - days(1)), to: now };

/** Widths of the figures of a whole project, in minutes; see NameRollupRow. */
const grains = [1440, 60, 15] as const;
export type Grain = (typeof grains)[number];

/** A part of a range, and the width of the counts that cover it; null for counts by the minute, or by the hour when older. */
export interface CoveredPart extends TimeRange {
  readonly grain: Grain | null;
}

/** How a range is counted. */
export interface Division {
  /** Width of its parts, the first of which starts at the start of the range; infinite when it is counted as one. */
  readonly widthMs: number;
  readonly now: Date;
}

/**
 * Splits a range into parts, each with the widest counts that fit between its ends and into the division, so that few counts are read. Counts
 * after now do not exist yet, so the last part may end in the middle of a count.
 */
export function coveredParts({ from, to }: TimeRange, division: Division): CoveredPart[] {
  const { widthMs, now } = division;
  const isAligned = (ms: number) => widthMs % ms === 0 && from.getTime() % ms === 0;
  const usable = grains.filter((grain) => widthMs === Number.POSITIVE_INFINITY || isAligned(minutes(grain)));
  return cover({ from, to: wholeEnd(to, now) }, usable, division);
}

/** Before counts by the minute, an hour belongs to a range completely or not at all. */
const wholeEnd = (to: Date, now: Date): Date => (to < minutesBegin(now) ? nextBucketStart(to, hours(1)) : to);

function cover(range: TimeRange, [grain, ...finer]: readonly Grain[], division: Division): CoveredPart[] {
  const { from, to } = range;
  const { now } = division;
  if (from >= to) return [];
  if (grain === undefined) return [{ from, to, grain: null }];
  const grainMs = minutes(grain);
  const keptFromMs = grain === 1440 ? 0 : hoursBegin(now).getTime();
  const firstMs = Math.max(from.getTime(), keptFromMs);
  const start = nextBucketStart(new Date(firstMs), grainMs);
  const end = to >= now ? to : bucketStart(to, grainMs);
  if (start >= end) return cover(range, finer, division);
  return [
    ...cover({ from, to: start }, finer, division),
    { from: start, to: end, grain },
    ...cover({ from: end, to }, finer, division),
  ];
}

const maxBuckets = 1500;

export interface BucketPlan {
  readonly bucket: BucketName;
  readonly widthMs: number;
  /** Start of the first bucket. */
  readonly from: Date;
  readonly to: Date;
  readonly count: number;
}

/**
 * The buckets of a range. When it starts before counts are kept by the minute, a bucket is at least an hour, whatever was requested: narrower
 * ones would show each hour as a spike at its start.
 *
 * @throws ApiError `validation_error` when there are too many.
 */
export function planBuckets(range: TimeRange, wanted: BucketName, now: Date): BucketPlan {
  if (bucketsIn(range, wanted) > maxBuckets) {
    throw invalid({
      loc: ["query", "bucket"],
      type: "too_many_buckets",
      message: `must result in at most ${maxBuckets} buckets`,
    });
  }
  const isByHour = range.from < minutesBegin(now) && bucketMs[wanted] < bucketMs["1h"];
  const bucket = isByHour ? "1h" : wanted;
  const widthMs = bucketMs[bucket];
  return { bucket, widthMs, from: bucketStart(range.from, widthMs), to: range.to, count: bucketsIn(range, bucket) };
}

const bucketsIn = ({ from, to }: TimeRange, bucket: BucketName): number =>
  Math.ceil((to.getTime() - bucketStart(from, bucketMs[bucket]).getTime()) / bucketMs[bucket]);

/** The narrowest bucket that keeps the number of buckets of a range readable. */
export function widthFor({ from, to }: TimeRange): BucketName {
  const rangeMs = to.getTime() - from.getTime();
  return bucketNames.find((name) => rangeMs / bucketMs[name] <= 200) ?? "1d";
}
