/** The newest part of the tasks that fits into an export. */
export interface Cut {
  sinceMs: number;
  rows: number;
}

interface Bounds {
  /** The number of matching tasks received at this time or later. */
  countSince: (sinceMs: number) => Promise<number>;
  untilMs: number;
  /** The start of the list's time range; null if it has none. */
  sinceMs: number | null;
  cap: number;
}

const minuteMs = 60_000;
const spansMs = [15, 60, 6 * 60, 24 * 60, 7 * 24 * 60, 30 * 24 * 60, 90 * 24 * 60, 365 * 24 * 60].map(
  (minutes) => minutes * minuteMs,
);
const refinements = 5;

/**
 * The longest time range up to the end of the list with at most `cap` tasks. It is found with a few counts, so it may be a
 * little shorter than possible. Null if no such range has a task.
 */
export async function nearestCut({ countSince, untilMs, sinceMs, cap }: Bounds): Promise<Cut | null> {
  let fits: Cut | null = null;
  let tooLong: number | null = null;
  const count = async (spanMs: number) => {
    const cut = { sinceMs: untilMs - spanMs, rows: await countSince(untilMs - spanMs) };
    if (cut.rows <= cap) fits = cut;
    else tooLong = spanMs;
    return cut.rows <= cap;
  };
  const wholeMs = sinceMs === null ? Number.POSITIVE_INFINITY : untilMs - sinceMs;
  for (const spanMs of spansMs) {
    if (spanMs >= wholeMs) tooLong = wholeMs;
    if (tooLong !== null || !(await count(spanMs))) break;
  }
  for (let step = 0; step < refinements && tooLong !== null; step++) {
    const fittingMs = fits === null ? 0 : untilMs - (fits as Cut).sinceMs;
    const middle = Math.floor((fittingMs + tooLong) / 2 / 1000) * 1000;
    if (middle <= fittingMs) break;
    await count(middle);
  }
  const found = fits as Cut | null;
  return found !== null && found.rows > 0 ? found : null;
}
