import type { Loop } from "../../platform/loop.ts";
import type { Reconciliation } from "./reconciliation.ts";

/** Asks engines about tasks that have not ended for long. Leader only: a task is asked about once in an interval. */
export const sweepStaleTasks: Loop<{
  reconciliation: Pick<Reconciliation, "sweep">;
  settings: { SVC_RECONCILIATION_SWEEP_SECONDS: number };
}> = {
  name: "reconciliation.sweep",
  everyMs: ({ settings }) => settings.SVC_RECONCILIATION_SWEEP_SECONDS * 1000,
  leaderOnly: true,
  async tick({ reconciliation, signal }) {
    return { asked: await reconciliation.sweep(signal) };
  },
};
