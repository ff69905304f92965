/**
 * Histograms of durations: counts by buckets whose bounds grow geometrically, so that any quantile read from one is within 4 % of the
 * true value, whatever the values were. They merge by adding counts, and are stored as a JSON object of bucket index -> count.
 */
export type Histogram = Map<number, number>;

/** Largest relative error of a quantile. */
export const histogramError = 0.04;

const growth = (1 + histogramError) / (1 - histogramError);
const logGrowth = Math.log(growth);
/** Durations of at most half a millisecond, which includes 0. */
const zeroBucket = 0;

/** Bucket of a duration in milliseconds, at least 0. */
export const bucketOf = (ms: number): number => (ms < 1 ? zeroBucket : 1 + Math.ceil(Math.log(ms) / logGrowth));

/** The duration that stands for a bucket: at most 4 % away from every value in it. */
export const durationOf = (bucket: number): number =>
  bucket === zeroBucket ? 0 : (2 * growth ** (bucket - 1)) / (growth + 1);

export function addToHistogram(histogram: Histogram, ms: number): void {
  const bucket = bucketOf(ms);
  histogram.set(bucket, (histogram.get(bucket) ?? 0) + 1);
}

export function mergeInto(histogram: Histogram, other: Histogram): void {
  for (const [bucket, count] of other) histogram.set(bucket, (histogram.get(bucket) ?? 0) + count);
}

/** The stored text; null when empty. Buckets come in rising order. */
export function encodeHistogram(histogram: Histogram): string | null {
  if (histogram.size === 0) return null;
  const buckets = [...histogram.keys()].sort((a, b) => a - b);
  return `{${buckets.map((bucket) => `"${bucket}":${histogram.get(bucket)}`).join(",")}}`;
}

/** A histogram from its stored text. */
export function decodeHistogram(text: string | null): Histogram {
  if (text === null) return new Map();
  const counts = JSON.parse(text) as Record<string, number>;
  return new Map(Object.entries(counts).map(([bucket, count]) => [Number(bucket), count]));
}

/** The value below which a share `q` (0 to 1) of the values lies, in milliseconds; null without values. */
export function quantileOf(histogram: Histogram, q: number): number | null {
  let total = 0;
  for (const count of histogram.values()) total += count;
  if (total === 0) return null;
  let rank = Math.max(1, Math.ceil(q * total));
  for (const bucket of [...histogram.keys()].sort((a, b) => a - b)) {
    rank -= histogram.get(bucket) as number;
    if (rank <= 0) return durationOf(bucket);
  }
  return null;
}
