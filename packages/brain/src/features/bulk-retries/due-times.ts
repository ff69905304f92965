import type { Clock } from "../../platform/clock.ts";

/** When requests with a rate may send more: each is woken then, and once. */
export function createDueTimes(clock: Pick<Clock, "now">, wake: (parentId: string) => void) {
  const timers = new Map<string, NodeJS.Timeout>();

  function forget(parentId: string): void {
    clearTimeout(timers.get(parentId));
    timers.delete(parentId);
  }

  return {
    /** In place of what was noted before; null for nothing. */
    note(parentId: string, at: Date | null): void {
      forget(parentId);
      if (at === null) return;
      const timer = setTimeout(
        () => {
          timers.delete(parentId);
          wake(parentId);
        },
        Math.max(0, at.getTime() - clock.now().getTime()),
      );
      timer.unref();
      timers.set(parentId, timer);
    },
    stop(): void {
      for (const parentId of [...timers.keys()]) forget(parentId);
    },
  };
}
