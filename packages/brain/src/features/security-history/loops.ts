import type { Clock } from "../../platform/clock.ts";
import type { Loop } from "../../platform/loop.ts";
import type { SecurityHistory } from "./security-history.ts";

const dayMs = 86_400_000;

interface PruneDeps {
  readonly history: Pick<SecurityHistory, "prune">;
  readonly clock: Pick<Clock, "now">;
  readonly settings: { readonly SVC_HISTORY_RETENTION_DAYS: number };
}

/** Deletes notices past the retention; they hold addresses. Leader only: one replica is enough for it. */
export const pruneSecurityHistory: Loop<PruneDeps> = {
  name: "security-history.retention",
  everyMs: 3_600_000,
  leaderOnly: true,
  async tick({ history, clock, settings }) {
    const before = new Date(clock.now().getTime() - settings.SVC_HISTORY_RETENTION_DAYS * dayMs);
    return { deleted: await history.prune(before) };
  },
};
