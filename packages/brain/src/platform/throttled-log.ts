import type { Clock } from "./clock.ts";

const windowMs = 60_000;

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
