// New tasks slide into a list that is followed at most four times a second, and not at all while more come than anybody
// can read.

/** At least this long between two times that rows slide in. */
export const slideMs = 250;
/** New tasks in a second above which following pauses by itself. */
export const maximumPerSecond = 50;
/** Long enough that one page read after a gap, which does not show how fast its tasks came, is not too many. */
const windowMs = 4_000;

/** New tasks of the last seconds. */
export type Arrivals = readonly { atMs: number; amount: number }[];

export function withArrivals(arrivals: Arrivals, amount: number, nowMs: number): Arrivals {
  return [...arrivals.filter(({ atMs }) => atMs > nowMs - windowMs), { atMs: nowMs, amount }];
}

export function isTooFast(arrivals: Arrivals): boolean {
  return arrivals.reduce((sum, { amount }) => sum + amount, 0) > (maximumPerSecond * windowMs) / 1000;
}
