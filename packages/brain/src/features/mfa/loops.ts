import type { Loop } from "../../platform/loop.ts";
import { hourlyRetention } from "../../platform/retention.ts";
import type { Mfa } from "./mfa.ts";

/** Deletes trusted devices whose time is over. */
export const pruneTrustedDevices: Loop<{ mfa: Pick<Mfa, "prune"> }> = {
  name: "mfa.prune-trusted-devices",
  ...hourlyRetention,
  async tick({ mfa }) {
    return { deleted: await mfa.prune() };
  },
};
