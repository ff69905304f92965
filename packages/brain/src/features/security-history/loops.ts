import { newestInstant } from "../../platform/database/newest.ts";
import { days } from "../../platform/durations.ts";
import { retentionLoop } from "../../platform/retention.ts";
import type { Core } from "../../schema/tables/index.ts";
import { deleteNoticesBefore } from "./store.ts";

/** Deletes notices past the retention period, because they contain addresses. */
export const pruneSecurityHistory = retentionLoop<Core & { settings: { SVC_HISTORY_RETENTION_DAYS: number } }>({
  name: "security-history.retention",
  newest: ({ database }) => newestInstant(database.slow, "account_notices", "occurred_at"),
  cutoffMs: (base, { settings }) => base.getTime() - days(settings.SVC_HISTORY_RETENTION_DAYS),
  remove: ({ database }, cutoff) => database.write((tx) => deleteNoticesBefore(tx, cutoff)),
});
