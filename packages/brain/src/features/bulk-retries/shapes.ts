import type { BulkRetryRequestRow } from "../../schema/tables/index.ts";
import type { BulkRetryRequest } from "./schemas.ts";
import { controlOf, deadlineReason, statusOf } from "./states.ts";

/** The public shape of a request at `now`. */
export function publicRequest(row: BulkRetryRequestRow, now: Date): BulkRetryRequest {
  const control = controlOf(row, now);
  return {
    id: row.id,
    status: statusOf(row, now),
    control_state: control,
    canonical_digest: row.canonical_digest,
    plan_digest: row.plan_digest,
    target_agent_id: row.target_agent_id,
    counts: childCountsOf(row),
    created_at: row.created_at,
    sealed_at: row.sealed_at,
    deadline_at: row.deadline_at,
    last_progress_at: row.last_progress_at,
    sealing: row.control_state === "sealing" ? { found: row.found_count, reached: row.reached_at } : null,
    blocked_reason:
      control === "blocked" ? (row.blocked_reason ?? deadlineReason(row.pending_count)) : row.blocked_reason,
  };
}

export const childCountsOf = (row: BulkRetryRequestRow): BulkRetryRequest["counts"] => ({
  total: row.child_count,
  pending: row.pending_count,
  claimed: row.claimed_count,
  unobserved: row.pending_count + row.claimed_count,
  succeeded: row.succeeded_count,
  failed: row.failed_count,
  unknown: row.unknown_count,
});
