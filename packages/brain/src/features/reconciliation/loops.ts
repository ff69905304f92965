import type { Loop } from "../../platform/loop.ts";
import type { Reconciliation } from "./reconciliation.ts";

/**
 * Asks engines about tasks that have not ended for long, and writes the audit rows of answers that a process died over. Leader only: a task
 * is asked about once in an interval. Not soon after the start, because agents first tell what they could not while the service was away.
 */
export const sweepStaleTasks: Loop<{
  reconciliation: Pick<Reconciliation, "sweep" | "noteEnds">;
  settings: { SVC_RECONCILIATION_SWEEP_SECONDS: number };
}> = {
  name: "reconciliation.sweep",
  everyMs: ({ settings }) => settings.SVC_RECONCILIATION_SWEEP_SECONDS * 1000,
  firstAfterMs: 120_000,
  leaderOnly: true,
  async tick({ reconciliation, signal }) {
    try {
      return { asked: await reconciliation.sweep(signal) };
    } finally {
      await reconciliation.noteEnds();
    }
  },
};
