/** The value below which this share (0 to 1) of the values lies; 0 when there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
}

export const medianOf = (values: readonly number[]): number => quantile(values, 0.5);
