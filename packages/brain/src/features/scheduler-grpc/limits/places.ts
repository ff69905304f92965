import { CallStatus } from "../access/refusal.ts";
import { statusCodes } from "../status-codes.ts";

/** Runs a few works at once and lets others wait in order. */
export function createPlaces({ atOnce, waiting }: { atOnce: number; waiting: number }) {
  const queue: (() => void)[] = [];
  let running = 0;

  return {
    /** @throws CallStatus `RESOURCE_EXHAUSTED` when too many wait, and what `work` throws. */
    async run<T>(work: () => Promise<T>): Promise<T> {
      if (running < atOnce) running += 1;
      else {
        if (queue.length >= waiting) throw new CallStatus(statusCodes.RESOURCE_EXHAUSTED, "too many snapshots wait");
        await new Promise<void>((resolve) => queue.push(resolve));
      }
      try {
        return await work();
      } finally {
        const next = queue.shift();
        // The next one takes this place.
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}
