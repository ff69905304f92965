/** Random times between arrivals, with this mean. */
export const exponential = (random: () => number, meanMs: number): number => -Math.log(1 - random()) * meanMs;

/** Random run times: log-normal around the median, at least 5 ms. */
export function logNormal(random: () => number, medianMs: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.max(5, medianMs * Math.exp(normal * 0.55));
}
