import type { Loop } from "../../platform/loop.ts";
import type { Reconciliation } from "./reconciliation.ts";

/**
 * Asks engines about long unfinished tasks, and writes the audit rows that crashed processes left out. Leader only, so that each task is
 * asked about once per interval. The first run is delayed, because agents first send what they buffered while the service was down.
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
