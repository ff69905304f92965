// Scales and ticks: numbers only.

/** The maximum number of grid lines; more would distract from the data. */
export const maximumLines = 5;

const mantissas = [1, 2, 5];

/**
 * Evenly spaced round values from 0 to `most`, at most `lines` including zero. Steps are whole numbers; for a `most` below 1, only zero.
 */
export function countTicks(most: number, lines = maximumLines): number[] {
  if (!(most >= 1)) return [0];
  const step = roundStep(most / (lines - 1));
  const ticks: number[] = [];
  for (let at = 0; at * step <= most; at++) ticks.push(at * step);
  return ticks;
}

/** The smallest of 1, 2, 5, 10, 20, … that is at least `least`. */
function roundStep(least: number): number {
  let power = 1;
  for (;;) {
    const found = mantissas.find((mantissa) => mantissa * power >= least);
    if (found !== undefined) return found * power;
    power *= 10;
  }
}

export interface LogScale {
  /** Powers of ten, ascending; the first and last are the ends of the scale. */
  readonly decades: readonly number[];
  /** 0 at the lower end, 1 at the upper one; values are clamped. */
  place(value: number): number;
}

/** A scale of at least one whole decade around [least, most], both above 0. At most five lines. */
export function logScale(least: number, most: number): LogScale {
  const low = Math.floor(decadeOf(least));
  const high = Math.max(low + 1, Math.ceil(decadeOf(most)));
  const every = Math.ceil((high - low) / (maximumLines - 1));
  const steps = Math.ceil((high - low) / every);
  const top = low + steps * every;
  return {
    decades: Array.from({ length: steps + 1 }, (_, at) => 10 ** (low + at * every)),
    place: (value) => Math.min(1, Math.max(0, (Math.log10(value) - low) / (top - low))),
  };
}

// The computed logarithm of 1000 is slightly below 3; without this, an exact power of ten would add a decade.
function decadeOf(value: number): number {
  const exact = Math.log10(value);
  const whole = Math.round(exact);
  return Math.abs(exact - whole) < 1e-9 ? whole : exact;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const timeSteps = [
  minuteMs,
  2 * minuteMs,
  5 * minuteMs,
  10 * minuteMs,
  15 * minuteMs,
  30 * minuteMs,
  hourMs,
  2 * hourMs,
  3 * hourMs,
  6 * hourMs,
  12 * hourMs,
  dayMs,
  2 * dayMs,
  7 * dayMs,
  14 * dayMs,
  28 * dayMs,
];

export interface TimeTicks {
  readonly stepMs: number;
  /** Instants in milliseconds since 1970, oldest first, within the range. */
  readonly at: readonly number[];
}

/**
 * At most `atMost` instants at which a zone's clock shows round times. `offsetMs` returns the zone's UTC offset at an instant; it may
 * change within the range.
 */
export function timeTicks(
  range: { fromMs: number; toMs: number },
  atMost: number,
  offsetMs: (at: number) => number,
): TimeTicks {
  const { fromMs, toMs } = range;
  const wantedMs = (toMs - fromMs) / Math.max(1, atMost);
  const widestMs = timeSteps.at(-1) ?? dayMs;
  const stepMs = timeSteps.find((step) => step >= wantedMs) ?? Math.ceil(wantedMs / widestMs) * widestMs;
  const at: number[] = [];
  const first = Math.floor((fromMs + offsetMs(fromMs)) / stepMs) * stepMs;
  // One more step at either end, in case the offset changes within the range.
  for (let wall = first - stepMs; wall - offsetMs(toMs) <= toMs + stepMs; wall += stepMs) {
    const guess = wall - offsetMs(fromMs);
    const instant = wall - offsetMs(guess);
    if (instant >= fromMs && instant <= toMs && instant !== at.at(-1)) at.push(instant);
  }
  return { stepMs, at: at.slice(0, atMost) };
}
