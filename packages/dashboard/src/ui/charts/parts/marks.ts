// The elements of a time chart and the placement of its labels. Pixels and instants only.

export interface Bucket {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A time range with known gaps in the data. */
export interface Band extends Bucket {
  readonly label: string;
}

/** Something that happened at an instant: a release, a restart. */
export interface Mark {
  readonly atMs: number;
  readonly label: string;
  /** Whether its label is dropped before others. */
  readonly isMinor?: boolean;
}

/** A value of a bucket; `swatch` is the class of its sample in the tooltip. */
export interface Reading {
  readonly label: string;
  readonly value: string;
  readonly swatch?: string | undefined;
}

/** The positions of contiguous buckets, in pixels. */
export function placer(buckets: readonly Bucket[], left: number, width: number): (atMs: number) => number {
  const fromMs = buckets[0]?.fromMs ?? 0;
  const toMs = buckets.at(-1)?.toMs ?? 1;
  return (atMs) => left + (Math.min(toMs, Math.max(fromMs, atMs)) - fromMs) * (width / Math.max(1, toMs - fromMs));
}

/** The minimum number of buckets; fewer would be too wide. */
const fewestBuckets = 12;

interface Beginning<One> {
  /** When the chart's subject was first seen; undefined while unknown. */
  bornMs: number | undefined;
  bands: readonly Bucket[];
  isFilled: (bucket: One) => boolean;
}

/** Drops leading empty buckets if the subject is younger than the range; buckets in a band are kept. */
export function sinceFirst<One extends Bucket>(
  buckets: readonly One[],
  { bornMs, bands, isFilled }: Beginning<One>,
): readonly One[] {
  if (bornMs === undefined || bornMs <= (buckets[0]?.fromMs ?? 0)) return buckets;
  const filled = buckets.findIndex((bucket) => isFilled(bucket) || within(bands, bucket).length > 0);
  const first = filled >= 0 ? filled : buckets.findIndex(({ toMs }) => toMs > bornMs);
  return buckets.slice(Math.max(0, Math.min(first, buckets.length - fewestBuckets)));
}

/** What overlaps a bucket. */
export function within<Item extends Bucket | Mark>(items: readonly Item[], { fromMs, toMs }: Bucket): Item[] {
  return items.filter((item) =>
    "atMs" in item ? item.atMs >= fromMs && item.atMs < toMs : item.fromMs < toMs && item.toMs > fromMs,
  );
}

export interface PlacedLabel {
  readonly x: number;
  readonly text: string;
  /** Whether the label is left of its mark. */
  readonly isBefore: boolean;
}

/**
 * Places the labels of marks, newest first and minor ones last, and drops those that would overlap. A label goes to the side of its mark with
 * more room. `charWidth` is the average character width in pixels.
 */
export function placeLabels(
  marks: readonly { x: number; text: string; isMinor: boolean }[],
  area: { left: number; right: number },
  charWidth: number,
): PlacedLabel[] {
  const taken: { from: number; to: number }[] = [];
  const placed: PlacedLabel[] = [];
  for (const { x, text } of marks.toSorted((a, b) => Number(a.isMinor) - Number(b.isMinor) || b.x - a.x)) {
    const isBefore = x - area.left > area.right - x;
    const length = text.length * charWidth + 6;
    const from = isBefore ? x - length : x;
    const to = isBefore ? x : x + length;
    if (from < area.left || to > area.right || taken.some((other) => from < other.to && to > other.from)) continue;
    taken.push({ from, to });
    placed.push({ x, text, isBefore });
  }
  return placed;
}

/**
 * Spreads positions at least `gap` apart, in order and as close as possible to the originals, within [least, most] if there is room for all.
 */
export function spread(
  heights: readonly number[],
  gap: number,
  { least, most }: { least: number; most: number },
): number[] {
  const order = heights.map((_, at) => at).toSorted((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0));
  const moved: number[] = [...heights];
  let floor = least;
  for (const at of order) {
    moved[at] = Math.max(floor, heights[at] ?? 0);
    floor = (moved[at] ?? 0) + gap;
  }
  let ceiling = most;
  for (const at of order.toReversed()) {
    moved[at] = Math.min(ceiling, moved[at] ?? 0);
    ceiling = (moved[at] ?? 0) - gap;
  }
  return moved;
}

/** Runs of consecutive indexes with a value: a line is drawn through each run, never across a gap. */
export function runsOf(values: readonly (number | null)[]): number[][] {
  const runs: number[][] = [];
  values.forEach((value, at) => {
    if (value === null) return;
    const last = runs.at(-1);
    if (last !== undefined && last.at(-1) === at - 1) last.push(at);
    else runs.push([at]);
  });
  return runs;
}
