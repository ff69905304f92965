// The live tail inserts new tasks at most four times a second, and pauses while more arrive than anyone can read.

/** Minimum time between two insertions. */
export const slideMs = 250;
/** New tasks per second above which the live tail pauses. */
export const maximumPerSecond = 50;
/** Long enough that a single page read after a gap, whose tasks may have arrived slowly, does not exceed the limit. */
const windowMs = 4_000;

/** New tasks of the last few seconds. */
export type Arrivals = readonly { atMs: number; amount: number }[];

export function withArrivals(arrivals: Arrivals, amount: number, nowMs: number): Arrivals {
  return [...arrivals.filter(({ atMs }) => atMs > nowMs - windowMs), { atMs: nowMs, amount }];
}

export function isTooFast(arrivals: Arrivals): boolean {
  return arrivals.reduce((sum, { amount }) => sum + amount, 0) > (maximumPerSecond * windowMs) / 1000;
}
