import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { BenchBrain } from "../harness/processes.ts";

const lookMs = 100;
/** Time limit without progress. */
const giveUpMs = 30_000;
const largestMax = 10_000;

export interface Rate {
  readonly childrenPerSecond: number;
  /** CPU time of the service's process. */
  readonly cpuMsPerChild: number;
}

interface Shown {
  readonly status: string;
  readonly last_progress_at: string;
  readonly counts: { readonly claimed: number; readonly pending: number; readonly succeeded: number };
}

/** Runs bulk retries of the failed tasks of a queue. */
export function createRetrier({ root, slug, usage }: BenchBrain) {
  const path = `/projects/${slug}/bulk-retry-requests`;
  const inFlight: number[] = [];

  return {
    /** Children per second, from the answer to the request until its last outcome, by the service's timestamps. */
    async rate(queue: string, count: number, signal: AbortSignal): Promise<Rate> {
      const before = await usage();
      const made = await root.post(path, { idempotency_key: randomUUID(), filter: { queue }, max: largestMax });
      const madeMs = Date.now();
      if (made.status !== 202) throw new Error(`the bulk retry answered ${made.status}: ${made.text}`);
      if (made.body.counts.total !== count) throw new Error(`${made.body.counts.total} tasks match, not ${count}`);
      let succeeded = 0;
      let progressMs = madeMs;
      for (;;) {
        await pause(lookMs, undefined, { signal });
        const shown = (await root.get(`${path}/${made.body.id}`)).body as Shown;
        if (shown.status === "succeeded") {
          const { cpuSeconds } = await usage();
          return {
            childrenPerSecond: count / ((Date.parse(shown.last_progress_at) - madeMs) / 1000),
            cpuMsPerChild: ((cpuSeconds - before.cpuSeconds) * 1000) / count,
          };
        }
        if (shown.counts.pending > 0) inFlight.push(shown.counts.claimed);
        if (shown.counts.succeeded > succeeded) progressMs = Date.now();
        succeeded = shown.counts.succeeded;
        if (shown.status !== "in_progress" || Date.now() - progressMs > giveUpMs) {
          throw new Error(`the bulk retry made no progress: ${JSON.stringify(shown)}`);
        }
      }
    },
    /** Average over all polls while the request had children to send. */
    meanInFlight: (): number => inFlight.reduce((sum, count) => sum + count, 0) / Math.max(1, inFlight.length),
  };
}
