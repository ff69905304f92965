/**
 * Histograms of durations: counts by buckets whose bounds grow geometrically, so that any quantile is within 4 % of the true value for any
 * values. They merge by adding counts, and are stored as a JSON object of bucket index -> count.
 */
export type Histogram = Map<number, number>;

/** Largest relative error of a quantile. */
export const histogramError = 0.04;

const growth = (1 + histogramError) / (1 - histogramError);
const logGrowth = Math.log(growth);
/** Durations of at most half a millisecond, including 0. */
const zeroBucket = 0;

/** Bucket of a duration in milliseconds, at least 0. */
export const bucketOf = (ms: number): number => (ms < 1 ? zeroBucket : 1 + Math.ceil(Math.log(ms) / logGrowth));

/** The representative duration of a bucket: at most 4 % from every value in it. */
export const bucketDuration = (bucket: number): number =>
  bucket === zeroBucket ? 0 : (2 * growth ** (bucket - 1)) / (growth + 1);

export function addToHistogram(histogram: Histogram, ms: number): void {
  const bucket = bucketOf(ms);
  histogram.set(bucket, (histogram.get(bucket) ?? 0) + 1);
}

/** The stored text; null when empty. Buckets are in ascending order. */
export function encodeHistogram(histogram: Histogram): string | null {
  if (histogram.size === 0) return null;
  const buckets = [...histogram.keys()].sort((a, b) => a - b);
  return `{${buckets.map((bucket) => `"${bucket}":${histogram.get(bucket)}`).join(",")}}`;
}

/** A histogram from its stored text. */
export function decodeHistogram(text: string | null): Histogram {
  const histogram: Histogram = new Map();
  addStored(histogram, text);
  return histogram;
}

const quote = 34;
const zero = 48;

/**
 * Adds the counts of a stored text, or of several texts in a row. A chart adds thousands of them, so the text is parsed digit by digit: it
 * has exactly the form `{"<bucket>":<count>,…}` that `encodeHistogram` writes.
 */
export function addStored(histogram: Histogram, text: string | null): void {
  if (text === null) return;
  // One character after a count is the quote of the next bucket, or the brace that opens the next text, whose quote follows.
  for (let at = 1; at < text.length; at += text.charCodeAt(at + 1) === quote ? 1 : 2) {
    if (text.charCodeAt(at) !== quote) continue;
    let bucket = 0;
    for (at += 1; text.charCodeAt(at) !== quote; at += 1) bucket = bucket * 10 + text.charCodeAt(at) - zero;
    let count = 0;
    // After the colon, up to the comma or the closing brace, neither of which is a digit.
    for (at += 2; isDigit(text.charCodeAt(at)); at += 1) count = count * 10 + text.charCodeAt(at) - zero;
    histogram.set(bucket, (histogram.get(bucket) ?? 0) + count);
  }
}

const isDigit = (code: number): boolean => code >= zero && code <= zero + 9;

/** The value below which a share `q` (0 to 1) of the values is, in milliseconds; null without values. */
export const quantileOf = (histogram: Histogram, q: number): number | null => quantilesOf(histogram, [q])?.[0] ?? null;

/** The quantiles at `shares`, which are in ascending order; null for a histogram without values. */
export function quantilesOf(histogram: Histogram, shares: readonly number[]): number[] | null {
  const buckets = [...histogram.keys()].sort((a, b) => a - b);
  const total = countOf(histogram);
  if (total === 0) return null;
  const found: number[] = [];
  let below = 0;
  let place = 0;
  for (const q of shares) {
    const rank = Math.max(1, Math.ceil(q * total));
    while (below + (histogram.get(buckets[place] as number) as number) < rank) {
      below += histogram.get(buckets[place] as number) as number;
      place += 1;
    }
    found.push(bucketDuration(buckets[place] as number));
  }
  return found;
}

/** Number of values in a histogram. */
export function countOf(histogram: Histogram): number {
  let total = 0;
  for (const count of histogram.values()) total += count;
  return total;
}
