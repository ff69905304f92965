import { uuidV7 } from "../../src/platform/ids.ts";
import type { BulkRetryRequestRow } from "../../src/schema/tables/index.ts";

/** A new running request for 20 unsent tasks of rq, with an hour left. */
export function bulkRetryRow(
  given: Partial<BulkRetryRequestRow> & Pick<BulkRetryRequestRow, "project_id">,
): BulkRetryRequestRow {
  const id = given.id ?? uuidV7({ now: () => new Date() });
  const now = new Date();
  return {
    id,
    issued_by: null,
    source_ip: null,
    idempotency_key: id,
    canonical_digest: "",
    plan_digest: "",
    target_agent_id: null,
    control_state: "running",
    blocked_reason: null,
    child_count: 20,
    pending_count: 20,
    claimed_count: 0,
    succeeded_count: 0,
    failed_count: 0,
    unknown_count: 0,
    max_in_flight: 8,
    ranges: '[{"engine":"rq","next":0,"end":20}]',
    canary_size: null,
    canary_max_failures: 0,
    canary_failures: 0,
    rate_per_minute: null,
    next_claim_at: null,
    created_at: now,
    sealed_at: now,
    deadline_at: new Date(now.getTime() + 3_600_000),
    last_progress_at: null,
    finished_at: null,
    found_count: 0,
    reached_at: null,
    reached_id: null,
    ...given,
  };
}
