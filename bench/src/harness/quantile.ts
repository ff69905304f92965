/** The value below which this share (0 to 1) of ascending values lies; 0 when there are none. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
}
