import type { Loop } from "../../platform/loop.ts";
import type { Workers } from "./workers.ts";

/** Takes silent engine workers offline. In every replica: one statement on condition, so that two of them do no harm. */
export const sweepSilentWorkers: Loop<{
  workers: Pick<Workers, "sweepSilent">;
  settings: { SVC_AGENT_HEALTH_SWEEP_SECONDS: number };
}> = {
  name: "workers.sweep-silent",
  everyMs: ({ settings }) => settings.SVC_AGENT_HEALTH_SWEEP_SECONDS * 1000,
  leaderOnly: false,
  async tick({ workers }) {
    return { offline: await workers.sweepSilent() };
  },
};
