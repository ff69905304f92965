/** The one source of time; everything that reads time takes a Clock, so that tests decide what "now" is. */
export interface Clock {
  /** Wall clock, for instants that are stored or shown. */
  now(): Date;
  /** Milliseconds of a clock that never goes back, for durations and windows. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};
