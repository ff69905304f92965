import { hours } from "../../platform/durations.ts";
import type { Loop } from "../../platform/loop.ts";
import type { Sessions } from "./sessions.ts";

/** Deletes sessions past their absolute limit. Leader only: one replica is enough for it. */
export const pruneSessions: Loop<{ sessions: Pick<Sessions, "prune"> }> = {
  name: "sessions.prune",
  everyMs: hours(1),
  leaderOnly: true,
  removesByAge: true,
  async tick({ sessions }) {
    return { deleted: await sessions.prune() };
  },
};
