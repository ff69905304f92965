import type { SchedulerClock } from "./clock.ts";

/** Age of the last snapshot, change or progress of the watch up to which the scheduler fires. */
const freshForMs = 30_000;

/** Why the slots of the scheduler and of the service differ. */
export interface CadenceMismatch {
  /** Set when both have the same fingerprint and only this schedule differs. */
  readonly schedule: { readonly id: string; readonly controlToken: string } | null;
}

/** Decides whether anything may be fired: the copy of the schedules is fresh, and both sides compute the same slots. */
export function createGate(clock: SchedulerClock) {
  let freshAtMs: number | null = null;
  let mismatch: CadenceMismatch | null = null;
  const isFresh = () => freshAtMs !== null && clock.monotonicMs() - freshAtMs <= freshForMs;
  return {
    isFresh,
    isOpen: () => mismatch === null && isFresh(),
    get mismatch() {
      return mismatch;
    },
    /** A snapshot, a change or the progress of the watch has arrived. */
    refresh(): void {
      freshAtMs = clock.monotonicMs();
    },
    /** The copy is known to be outdated. */
    expire(): void {
      freshAtMs = null;
    },
    close(reason: CadenceMismatch): void {
      mismatch = reason;
    },
    reopen(): void {
      mismatch = null;
    },
    /** Seconds since the copy was confirmed; null before the first snapshot and after a gap. */
    ageSeconds: (): number | null => (freshAtMs === null ? null : (clock.monotonicMs() - freshAtMs) / 1000),
  };
}

export type Gate = ReturnType<typeof createGate>;
