// New tasks slide into a list that is followed at most four times a second, and not at all while more come than anybody
// can read.

/** At least this long between two times that rows slide in. */
export const slideMs = 250;
/** New tasks in a second above which following pauses by itself. */
export const maximumPerSecond = 50;
/** Long enough that one page read after a gap, which tells nothing of how fast its tasks came, is not too many. */
const windowMs = 4_000;

export interface TailPace {
  /** Counts new tasks; true when they come too fast. */
  note(amount: number): boolean;
  reset(): void;
}

/** `now` in milliseconds. */
export function createTailPace(now: () => number): TailPace {
  let arrivals: { atMs: number; amount: number }[] = [];
  return {
    note(amount) {
      const atMs = now();
      arrivals = arrivals.filter((one) => one.atMs > atMs - windowMs);
      arrivals.push({ atMs, amount });
      const sum = arrivals.reduce((all, one) => all + one.amount, 0);
      return sum > (maximumPerSecond * windowMs) / 1000;
    },
    reset() {
      arrivals = [];
    },
  };
}
