/** The value below which this share (0 to 1) of the values lies; 0 without values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
}

export const medianOf = (values: readonly number[]): number => quantile(values, 0.5);

/** The item with the median measure: a complete measurement, whose parts belong together. */
export function medianBy<T>(values: readonly T[], measure: (value: T) => number): T {
  const sorted = values.toSorted((a, b) => measure(a) - measure(b));
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) throw new Error("nothing was measured");
  return middle;
}
