import type { Clock } from "./clock.ts";
import { minutes } from "./durations.ts";

const windowMs = minutes(1);

/** Counts one occurrence, and writes a line when the limit allows one. */
export type ThrottledLog = (about: Record<string, unknown>) => void;

/**
 * A log line for a condition that a failing database or a hostile client causes with every request: at most `burst` lines a minute, each with
 * the number of occurrences since the line before it.
 */
export function createThrottledLog(
  clock: Pick<Clock, "monotonicMs">,
  write: (times: number, about: Record<string, unknown>) => void,
  { burst = 1 } = {},
): ThrottledLog {
  let times = 0;
  let lines = 0;
  let windowStartMs = Number.NEGATIVE_INFINITY;
  return (about) => {
    times += 1;
    const nowMs = clock.monotonicMs();
    if (nowMs - windowStartMs >= windowMs) {
      windowStartMs = nowMs;
      lines = 0;
    }
    if (lines >= burst) return;
    lines += 1;
    write(times, about);
    times = 0;
  };
}

/** Maximum sources with separate lines. */
const maxSources = 20;

/**
 * Counts occurrences of one source, one by default, and writes a line when the limits allow one.
 *
 * @returns whether a line was written.
 */
export type ThrottledLogPerSource = (source: string, about: Record<string, unknown>, occurrences?: number) => boolean;

/**
 * As `createThrottledLog`, for a condition that each of several sources, such as agents, may cause without hiding the others: one line a
 * minute for each of the first 20. All others share one line, which describes the newest of them and has `sources: "several"`. It also
 * counts the unreported occurrences of sources that have been quiet for a minute.
 */
export function createThrottledLogPerSource(
  clock: Pick<Clock, "monotonicMs">,
  write: (times: number, about: Record<string, unknown>) => void,
): ThrottledLogPerSource {
  interface Counted {
    times: number;
    lineMs: number;
  }
  // In order of their last lines.
  const bySource = new Map<string, Counted>();
  const several: Counted = { times: 0, lineMs: Number.NEGATIVE_INFINITY };

  function placeOf(source: string, nowMs: number): Counted {
    const known = bySource.get(source);
    if (known !== undefined) return known;
    const [oldest] = bySource;
    if (bySource.size >= maxSources && oldest !== undefined) {
      const [name, { times, lineMs }] = oldest;
      if (nowMs - lineMs < windowMs) return several;
      several.times += times;
      bySource.delete(name);
    }
    return { times: 0, lineMs: Number.NEGATIVE_INFINITY };
  }

  return (source, about, occurrences = 1) => {
    const nowMs = clock.monotonicMs();
    const place = placeOf(source, nowMs);
    place.times += occurrences;
    if (nowMs - place.lineMs < windowMs) return false;
    if (place !== several) {
      bySource.delete(source);
      bySource.set(source, place);
    }
    const { times } = place;
    place.times = 0;
    place.lineMs = nowMs;
    write(times, place === several ? { ...about, sources: "several" } : about);
    return true;
  };
}
