import { newestInstant } from "../../platform/database/newest.ts";
import { days } from "../../platform/durations.ts";
import { retentionLoop } from "../../platform/retention.ts";
import type { Core } from "../../schema/tables/index.ts";
import { deleteInvitationsEndedBefore } from "./store.ts";

/** Deletes invitations that expired before the retention period, because they contain addresses. */
export const pruneInvitations = retentionLoop<Core & { settings: { SVC_HISTORY_RETENTION_DAYS: number } }>({
  name: "invitations.retention",
  newest: ({ database }) => newestInstant(database.slow, "invitations", "expires_at"),
  cutoffMs: (base, { settings }) => base.getTime() - days(settings.SVC_HISTORY_RETENTION_DAYS),
  remove: ({ database }, cutoff) => database.write((tx) => deleteInvitationsEndedBefore(tx, cutoff)),
});
