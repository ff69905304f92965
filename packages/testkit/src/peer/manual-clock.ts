import { type Clock, systemClock } from "@svc/agent";

export interface ManualClock extends Clock {
  /** Moves both times forward and runs, in order, every timer that falls due on the way. */
  advance(stepMs: number): void;
}

/** An agent's clock that moves only when a test says so, timers included. */
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
  /** Runs now what waits for exactly this long, such as the next heartbeat, and what is armed again with it waits anew. */
  fire(delayMs: number): void;
}

/** The system's time, whose timers a test may fire early. */
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
