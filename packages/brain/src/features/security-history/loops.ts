import { newestInstant } from "../../platform/database/newest.ts";
import { days } from "../../platform/durations.ts";
import { retentionLoop } from "../../platform/retention.ts";
import type { Core } from "../../schema/tables/index.ts";
import type { SecurityHistory } from "./security-history.ts";

interface PruneDeps extends Core {
  readonly history: Pick<SecurityHistory, "prune">;
  readonly settings: { readonly SVC_HISTORY_RETENTION_DAYS: number };
}

/** Deletes notices past the retention; they hold addresses. */
export const pruneSecurityHistory = retentionLoop<PruneDeps>({
  name: "security-history.retention",
  newest: ({ database }) => newestInstant(database.slow, "account_notices", "occurred_at"),
  cutoffMs: (base, { settings }) => base.getTime() - days(settings.SVC_HISTORY_RETENTION_DAYS),
  remove: ({ history }, cutoff) => history.prune(cutoff),
});
