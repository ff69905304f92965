import type { Loop } from "../../platform/loop.ts";
import { hourlyRetention } from "../../platform/retention.ts";
import type { Sessions } from "./sessions.ts";

/** Deletes sessions past their absolute limit. */
export const pruneSessions: Loop<{ sessions: Pick<Sessions, "prune"> }> = {
  name: "sessions.prune",
  ...hourlyRetention,
  async tick({ sessions }) {
    return { deleted: await sessions.prune() };
  },
};
