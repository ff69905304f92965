/** Time as the agent sees it; tests replace it, so nothing else in this package reads a clock or sets a timer. */
export interface Clock {
  /** Wall clock in milliseconds since 1970 (UTC). May jump. */
  nowMs(): number;
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonicMs(): number;
  /** Calls `run` once after `delayMs`, unless the returned function was called before. Never keeps the process alive. */
  after(delayMs: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref(); // the host application decides when its process ends
    return () => clearTimeout(timer);
  },
};

/** Keeps the process alive until the returned function is called. */
export function holdProcess(): () => void {
  const timer = setInterval(() => {}, 2 ** 30);
  return () => clearInterval(timer);
}

/** The clock with timers that hand what they throw to `onFault` instead of ending the host process. */
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

/** Calls `run` every `everyMs` until the returned function is called. A tick that throws does not stop the next one. */
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

/** Resolves after `delayMs`, or at once when `signal` is aborted. Never rejects. */
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

/** The value of `work`, or a rejection with `TimeoutError` after `limitMs`. `work` itself goes on. */
export function within<T>(clock: Clock, limitMs: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const cancel = clock.after(limitMs, () => reject(new TimeoutError(limitMs)));
  return Promise.race([work, promise]).finally(cancel);
}

export class TimeoutError extends Error {
  constructor(limitMs: number) {
    super(`no answer within ${limitMs} ms`);
    this.name = "TimeoutError";
  }
}
