import type { Bounds } from "../../../address/range-bounds.ts";

type Window = Bounds & { sinceMs: number };

const minuteMs = 60_000;
/** How long the server keeps counts by the minute; older counts are hourly. */
const minutesKeptMs = 48 * 3_600_000;
const hourMs = 3_600_000;

/**
 * The window of the same length that ends where this one begins. An open window is as long as it has lasted so far: its bounds reach a
 * step further, and the counts of a longer window would always be greater.
 */
export function windowBefore({ sinceMs, untilMs, isOpen }: Window, nowMs: number): Window {
  const endMs = isOpen ? Math.min(untilMs, Math.max(nowMs, sinceMs + minuteMs)) : untilMs;
  const beganMs = sinceMs - (endMs - sinceMs);
  // A few minutes beyond the minute counts would include a whole hour.
  const keptMs = Math.floor((nowMs - minutesKeptMs) / hourMs) * hourMs;
  const isBarelyBeyond = beganMs < keptMs && keptMs - beganMs < hourMs / 2;
  return { sinceMs: isBarelyBeyond ? keptMs : beganMs, untilMs: sinceMs, isOpen: false };
}
