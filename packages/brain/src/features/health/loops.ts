import type { Loop } from "../../platform/loop.ts";
import type { RetentionGuard } from "../../platform/retention.ts";
import type { Core } from "../../schema/tables/index.ts";
import { saveLastSeen } from "./store.ts";
import type { WriteProbe } from "./write-probe.ts";

/** Checks whether the database accepts writes. Runs in every replica: each has its own connections. */
export const probeWrites: Loop<{ writeProbe: Pick<WriteProbe, "run"> }> = {
  name: "health.write-probe",
  everyMs: 5000,
  leaderOnly: false,
  tick: ({ writeProbe }) => writeProbe.run(),
};

/**
 * Compares the clocks often, so that a hold of retention shows within minutes, and records the time for the next start. Runs in every
 * replica, because each machine has its own clock. An uncertain time is not recorded.
 */
export const watchClock: Loop<Core & { retention: Pick<RetentionGuard, "check"> }> = {
  name: "health.watch-clock",
  everyMs: 300_000,
  leaderOnly: false,
  async tick({ database, clock, retention }) {
    if (retention.check() === null) await saveLastSeen(database, clock.now());
  },
};
