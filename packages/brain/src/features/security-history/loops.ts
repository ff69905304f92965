import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { newestInstant } from "../../platform/database/newest.ts";
import { days, hours } from "../../platform/durations.ts";
import type { Loop } from "../../platform/loop.ts";
import { retentionBase } from "../../platform/retention.ts";
import type { Tables } from "../../schema/tables/index.ts";
import type { SecurityHistory } from "./security-history.ts";

interface PruneDeps {
  readonly history: Pick<SecurityHistory, "prune">;
  readonly database: Pick<Database<Tables>, "slow">;
  readonly clock: Pick<Clock, "now">;
  readonly settings: { readonly SVC_HISTORY_RETENTION_DAYS: number };
}

/** Deletes notices past the retention; they hold addresses. Leader only: one replica is enough for it. */
export const pruneSecurityHistory: Loop<PruneDeps> = {
  name: "security-history.retention",
  everyMs: hours(1),
  leaderOnly: true,
  removesByAge: true,
  async tick({ history, database, clock, settings }) {
    const base = retentionBase(clock.now(), await newestInstant(database.slow, "account_notices", "occurred_at"));
    if (base === null) return { deleted: 0 };
    return { deleted: await history.prune(new Date(base.getTime() - days(settings.SVC_HISTORY_RETENTION_DAYS))) };
  },
};
