import type { Clock } from "../../../platform/clock.ts";

/** Wakes requests with a rate once, when they may send more. */
export class DueTimes {
  readonly #clock: Pick<Clock, "now">;
  readonly #wake: (parentId: string) => void;
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(clock: Pick<Clock, "now">, wake: (parentId: string) => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  /** Replaces the earlier time; null clears it. */
  note(parentId: string, at: Date | null): void {
    this.#forget(parentId);
    if (at === null) return;
    const timer = setTimeout(
      () => {
        this.#timers.delete(parentId);
        this.#wake(parentId);
      },
      Math.max(0, at.getTime() - this.#clock.now().getTime()),
    );
    timer.unref();
    this.#timers.set(parentId, timer);
  }

  stop(): void {
    for (const parentId of [...this.#timers.keys()]) this.#forget(parentId);
  }

  #forget(parentId: string): void {
    clearTimeout(this.#timers.get(parentId));
    this.#timers.delete(parentId);
  }
}
