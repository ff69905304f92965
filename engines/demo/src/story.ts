// The shop's history before it opens, so that a new user has problems to investigate. Times are milliseconds before the opening.

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

export const oldRelease = "2026.11.3";
/** Charges in US dollars fail with it. */
export const newRelease = "2026.11.4";
/** The workers marked `isCanary` got the new release. */
export const canaryMs = 5 * hourMs;
/** All other workers got it. */
export const rolloutMs = 2 * hourMs;

/** Lost workers. The first one was the only worker of its queue. */
export const losses: readonly { readonly worker: string; readonly agoMs: number; readonly reason: string }[] = [
  { worker: "export-1", agoMs: 3 * hourMs, reason: "out of memory" },
  { worker: "media-b", agoMs: 50 * minuteMs, reason: "lost connection" },
];

/**
 * Share of the busiest rate at which tasks arrive, from 0 to 1. The day peaks at the opening, is quietest half a day earlier, and stays at
 * its peak after the opening.
 */
export function rhythm(msBeforeOpening: number): number {
  const hours = Math.max(0, msBeforeOpening) / hourMs;
  const wave = (1 + Math.cos((2 * Math.PI * hours) / 24)) / 2;
  return 0.05 + 0.95 * wave ** 4;
}
