import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { newestInstant } from "../../platform/database/newest.ts";
import { days, hours } from "../../platform/durations.ts";
import type { Loop } from "../../platform/loop.ts";
import { retentionBase } from "../../platform/retention.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { deleteInvitationsEndedBefore } from "./store.ts";

interface PruneDeps {
  readonly database: Pick<Database<Tables>, "slow" | "write">;
  readonly clock: Pick<Clock, "now">;
  readonly settings: { readonly SVC_HISTORY_RETENTION_DAYS: number };
}

/** Deletes invitations that ended before the retention; they hold addresses. Leader only: one replica is enough for it. */
export const pruneInvitations: Loop<PruneDeps> = {
  name: "invitations.retention",
  everyMs: hours(1),
  leaderOnly: true,
  removesByAge: true,
  async tick({ database, clock, settings }) {
    const base = retentionBase(clock.now(), await newestInstant(database.slow, "invitations", "expires_at"));
    if (base === null) return { deleted: 0 };
    const before = new Date(base.getTime() - days(settings.SVC_HISTORY_RETENTION_DAYS));
    return { deleted: await database.write((tx) => deleteInvitationsEndedBefore(tx, before)) };
  },
};
