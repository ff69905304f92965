export type FakeClock = ReturnType<typeof createFakeClock>;

/** Wall time and monotonic time that only a test moves. */
export function createFakeClock(start: Date | string = "2026-01-02T03:04:05.000Z") {
  let wallMs = wallOf(start);
  let elapsedMs = 0;
  return {
    now: () => new Date(wallMs),
    /** Milliseconds since the clock was created. `setWall` does not change it, just like a system clock correction. */
    monotonicMs: () => elapsedMs,
    /** Moves both times forward. @throws RangeError for a negative or non-finite step. */
    advance(stepMs: number) {
      if (!(stepMs >= 0 && Number.isFinite(stepMs))) throw new RangeError(`a clock cannot advance by ${stepMs} ms`);
      wallMs += stepMs;
      elapsedMs += stepMs;
    },
    /** Sets only the wall time, like a clock correction in either direction. */
    setWall(at: Date) {
      wallMs = wallOf(at);
    },
  };
}

function wallOf(at: Date | string): number {
  const wallMs = new Date(at).getTime();
  if (Number.isNaN(wallMs)) throw new RangeError("a clock needs a valid instant");
  return wallMs;
}
