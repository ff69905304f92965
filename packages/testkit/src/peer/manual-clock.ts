import { type Clock, systemClock } from "@svc/agent";

export interface ManualClock extends Clock {
  /** Moves both times forward and runs all timers that become due, in order. */
  advance(stepMs: number): void;
}

/** An agent's clock, including timers, that only a test moves. */
export function createManualClock(startMs: number = Date.now()): ManualClock {
  let elapsedMs = 0;
  const timers = new Set<{ atMs: number; run: () => void }>();
  return {
    nowMs: () => startMs + elapsedMs,
    monotonicMs: () => elapsedMs,
    after(delayMs, run) {
      const timer = { atMs: elapsedMs + delayMs, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(stepMs) {
      const untilMs = elapsedMs + stepMs;
      for (;;) {
        const [next] = [...timers].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
        if (next === undefined) break;
        timers.delete(next);
        elapsedMs = Math.max(elapsedMs, next.atMs);
        next.run();
      }
      elapsedMs = untilMs;
    },
  };
}

export interface EagerClock extends Clock {
  /** Fires now the timers with exactly this delay, such as the next heartbeat. Timers that they set again wait again. */
  fire(delayMs: number): void;
}

/** The system's time, with timers that a test may fire early. */
export function createEagerClock(): EagerClock {
  const timers = new Set<{ delayMs: number; fire(): void }>();
  return {
    ...systemClock,
    after(delayMs, run) {
      const timer = {
        delayMs,
        fire() {
          cancel();
          run();
        },
      };
      const stop = systemClock.after(delayMs, timer.fire);
      const cancel = () => {
        stop();
        timers.delete(timer);
      };
      timers.add(timer);
      return cancel;
    },
    fire(delayMs) {
      for (const timer of [...timers].filter((one) => one.delayMs === delayMs)) timer.fire();
    },
  };
}
