import { hours } from "../../platform/durations.ts";
import type { Loop } from "../../platform/loop.ts";
import type { Mfa } from "./mfa.ts";

/** Deletes trusted devices whose time is over. Leader only: one replica is enough for it. */
export const pruneTrustedDevices: Loop<{ mfa: Pick<Mfa, "prune"> }> = {
  name: "mfa.prune-trusted-devices",
  everyMs: hours(1),
  leaderOnly: true,
  removesByAge: true,
  async tick({ mfa }) {
    return { deleted: await mfa.prune() };
  },
};
