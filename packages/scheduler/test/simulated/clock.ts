import type { SchedulerClock } from "../../src/clock.ts";
import { createSlotHeap, type HeapEntry } from "../../src/schedules/heap.ts";

interface Timer extends HeapEntry {
  readonly run: () => void;
}

export type SimulatedClock = ReturnType<typeof createSimulatedClock>;

/**
 * Time that moves only when a test advances it. Timers run in order, each after the work that the earlier ones caused: `settle` resolves when
 * that is done.
 */
export function createSimulatedClock(start: string, settle: () => Promise<void> = settled) {
  let wallMs = Date.parse(start);
  let monotonicMs = 0;
  const timers = createSlotHeap<Timer>();
  let count = 0;

  const clock: SchedulerClock = {
    now: () => new Date(wallMs),
    monotonicMs: () => monotonicMs,
    after(delayMs, run) {
      count += 1;
      const timer: Timer = { id: String(count).padStart(12, "0"), heapIndex: -1, run };
      timers.set(timer, monotonicMs + Math.max(0, delayMs));
      return () => timers.remove(timer);
    },
  };

  function moveTo(atMs: number): void {
    wallMs += atMs - monotonicMs;
    monotonicMs = atMs;
  }

  /** Moves time forward, running every timer on the way. */
  async function advance(stepMs: number): Promise<void> {
    const untilMs = monotonicMs + stepMs;
    await settle();
    for (let atMs = timers.earliest(); atMs !== undefined && atMs <= untilMs; atMs = timers.earliest()) {
      moveTo(atMs);
      timers.takeDue(atMs)?.run();
      await settle();
    }
    moveTo(untilMs);
  }

  return {
    ...clock,
    advance,
    /** Advances until the wall clock shows this instant. */
    advanceTo: (instant: string) => advance(Date.parse(instant) - wallMs),
    /** Corrects the wall clock by this much; the monotonic time stays. */
    jump(stepMs: number): void {
      wallMs += stepMs;
    },
    /** The clock of a process that can be killed: afterwards none of its timers runs. */
    ofProcess() {
      let isAlive = true;
      return {
        clock: { ...clock, after: (delayMs: number, run: () => void) => clock.after(delayMs, () => isAlive && run()) },
        kill() {
          isAlive = false;
        },
      };
    },
  };
}

/** Resolves when all promises that can settle without time have settled. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
