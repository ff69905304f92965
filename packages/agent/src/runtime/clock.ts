/** The agent's clock and timers. Nothing else in this package reads a clock or sets a timer, so tests can replace it. */
export interface Clock {
  /** Wall clock in milliseconds since 1970 (UTC). May jump. */
  nowMs(): number;
  /** Monotonic milliseconds from an arbitrary start. */
  monotonicMs(): number;
  /** Calls `run` once after `delayMs`, unless the returned function is called first. Never keeps the process alive. */
  after(delayMs: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref(); // the host application decides when its process exits
    return () => clearTimeout(timer);
  },
};

/** Keeps the process alive until the returned function is called. */
export function holdProcess(): () => void {
  const timer = setInterval(() => {}, 2 ** 30);
  return () => clearInterval(timer);
}

/** Wraps the clock so that errors in timers go to `onFault` instead of crashing the host process. */
export function guardClock(clock: Clock, onFault: (error: unknown) => void): Clock {
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, run) =>
      clock.after(delayMs, () => {
        try {
          run();
        } catch (error) {
          onFault(error);
        }
      }),
  };
}

/** Calls `run` every `everyMs` until the returned function is called, even after a call that throws. */
export function every(clock: Clock, everyMs: number, run: () => void): () => void {
  let cancel: () => void;
  const arm = (): void => {
    cancel = clock.after(everyMs, () => {
      arm();
      run();
    });
  };
  arm();
  return () => cancel();
}

/** Resolves after `delayMs`, or as soon as `signal` is aborted. Never rejects. */
export function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const finish = (): void => {
      cancel();
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const cancel = clock.after(delayMs, finish);
    signal.addEventListener("abort", finish);
  });
}

/** Rejects with `TimeoutError` when `work` takes longer than `limitMs`. `work` itself continues. */
export function within<T>(clock: Clock, limitMs: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const cancel = clock.after(limitMs, () => reject(new TimeoutError(limitMs)));
  return Promise.race([work, promise]).finally(cancel);
}

export class TimeoutError extends Error {
  constructor(limitMs: number) {
    super(`no response within ${limitMs} ms`);
    this.name = "TimeoutError";
  }
}
