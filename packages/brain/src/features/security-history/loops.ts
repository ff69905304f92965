import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { newestInstant } from "../../platform/database/newest.ts";
import { days } from "../../platform/durations.ts";
import { retentionLoop } from "../../platform/retention.ts";
import type { Tables } from "../../schema/tables/index.ts";
import type { SecurityHistory } from "./security-history.ts";

interface PruneDeps {
  readonly history: Pick<SecurityHistory, "prune">;
  readonly database: Pick<Database<Tables>, "slow">;
  readonly clock: Pick<Clock, "now">;
  readonly settings: { readonly SVC_HISTORY_RETENTION_DAYS: number };
}

/** Deletes notices past the retention; they hold addresses. */
export const pruneSecurityHistory = retentionLoop<PruneDeps>({
  name: "security-history.retention",
  newest: ({ database }) => newestInstant(database.slow, "account_notices", "occurred_at"),
  cutoffMs: (base, { settings }) => base.getTime() - days(settings.SVC_HISTORY_RETENTION_DAYS),
  remove: ({ history }, cutoff) => history.prune(cutoff),
});
