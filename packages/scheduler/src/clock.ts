/** The one source of time, so that tests decide what "now" is. */
export interface SchedulerClock {
  /** Wall clock: decides which slots are due. It may jump in either direction. */
  now(): Date;
  /** Milliseconds of a clock that never goes back, for durations and timeouts. */
  monotonicMs(): number;
  /** Calls `run` once, `delayMs` later or when the returned function has not cancelled it before. */
  after(delayMs: number, run: () => void): () => void;
}

export const systemClock: SchedulerClock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `delayMs`, or earlier when `signal` aborts. Never rejects. */
export function wait(clock: Pick<SchedulerClock, "after">, delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(delayMs, resolve);
  const end = () => {
    cancel();
    resolve();
  };
  signal.addEventListener("abort", end, { once: true });
  return promise.finally(() => signal.removeEventListener("abort", end));
}
