export type FakeClock = ReturnType<typeof createFakeClock>;

/** Wall time and monotonic time that move only when a test says so. */
export function createFakeClock(start: Date | string = "2026-01-02T03:04:05.000Z") {
  let wallMs = wallOf(start);
  let elapsedMs = 0;
  return {
    now: () => new Date(wallMs),
    /** Milliseconds since the clock was made. `setWall` does not move it, as a corrected system clock does not. */
    monotonicMs: () => elapsedMs,
    /** Moves both times forward; negative or non-finite steps are refused. */
    advance(stepMs: number) {
      if (!(stepMs >= 0 && Number.isFinite(stepMs))) throw new RangeError(`a clock cannot advance by ${stepMs} ms`);
      wallMs += stepMs;
      elapsedMs += stepMs;
    },
    /** Sets wall time alone: a clock that was corrected, in either direction. */
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
