import type { Clock } from "../../platform/clock.ts";

/** A refusal is recorded once per key in this time (spec part 3, section 1.12 rule 8). */
const windowMs = 10 * 60_000;
/** Keys remembered at most; while all of them are fresh, further keys go unrecorded, which bounds the rows a flood can cause. */
const maxKeys = 10_000;

export interface OncePerWindow {
  /** Whether `key` is due; it counts as recorded from now on. */
  admit(key: string): boolean;
  /** Forgets a key whose record could not be written. */
  forget(key: string): void;
}

export function createOncePerWindow(clock: Pick<Clock, "monotonicMs">): OncePerWindow {
  // In order of admission, so the first key is always the oldest.
  const admitted = new Map<string, number>();
  return {
    admit(key) {
      const nowMs = clock.monotonicMs();
      const lastMs = admitted.get(key);
      if (lastMs !== undefined && nowMs - lastMs < windowMs) return false;
      admitted.delete(key);
      if (admitted.size >= maxKeys) {
        const [oldest] = admitted as Iterable<[string, number]>;
        if (oldest !== undefined && nowMs - oldest[1] < windowMs) return false;
        if (oldest !== undefined) admitted.delete(oldest[0]);
      }
      admitted.set(key, nowMs);
      return true;
    },
    forget: (key) => void admitted.delete(key),
  };
}
