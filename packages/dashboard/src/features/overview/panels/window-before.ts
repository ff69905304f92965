import type { Bounds } from "../../../address/range-bounds.ts";

type Window = Bounds & { sinceMs: number };

const minuteMs = 60_000;
/** How long the brain keeps counts by the minute; what is older it counts by whole hours. */
const minutesKeptMs = 48 * 3_600_000;
const hourMs = 3_600_000;

/**
 * The window of the same length that ends where this one begins. A window that ends with the present is as long as it has lasted by now:
 * its bounds reach a step beyond that, and counts of a longer time would always be the greater ones.
 */
export function windowBefore({ sinceMs, untilMs, isOpen }: Window, nowMs: number): Window {
  const endMs = isOpen ? Math.min(untilMs, Math.max(nowMs, sinceMs + minuteMs)) : untilMs;
  const beganMs = sinceMs - (endMs - sinceMs);
  // A few minutes beyond what is kept by the minute would bring a whole hour with them.
  const keptMs = Math.floor((nowMs - minutesKeptMs) / hourMs) * hourMs;
  const isBarelyBeyond = beganMs < keptMs && keptMs - beganMs < hourMs / 2;
  return { sinceMs: isBarelyBeyond ? keptMs : beganMs, untilMs: sinceMs, isOpen: false };
}
