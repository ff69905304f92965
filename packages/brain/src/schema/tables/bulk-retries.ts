// Durable bulk retries: a request, its sealed children, and the request's text. Rules: features/bulk-retries.

/** A request with its counters, which change with its children in one transaction, so that no read has to count. */
export interface BulkRetryRequestRow {
  id: string;
  project_id: string;
  issued_by: string | null;
  source_ip: string | null;
  /** Unique in the project. */
  idempotency_key: string;
  canonical_digest: string;
  plan_digest: string;
  target_agent_id: string | null;
  control_state: string;
  blocked_reason: string | null;
  child_count: number;
  pending_count: number;
  /** Sent and without an outcome. */
  claimed_count: number;
  succeeded_count: number;
  failed_count: number;
  unknown_count: number;
  max_in_flight: number;
  /** JSON list of {engine, next, end}: which ordinals an engine has and the first that is not claimed. */
  stretches: string;
  /** Children that are sent before the others; null without a canary, and once it has passed. */
  canary_size: number | null;
  canary_max_failures: number;
  canary_failures: number;
  rate_per_minute: number | null;
  /** With a rate: when the next child may be sent. */
  next_claim_at: Date | null;
  created_at: Date;
  sealed_at: Date;
  deadline_at: Date;
  last_progress_at: Date | null;
  finished_at: Date | null;
}

/** Kept apart from the counters: it may be long, and the embedded database writes a whole row with every change. */
export interface BulkRetryEffectiveRequestRow {
  request_id: string;
  effective_request: string;
}

export interface BulkRetryChildRow {
  id: string;
  parent_id: string;
  project_id: string;
  /** Unique in the parent. */
  ordinal: number;
  engine: string;
  task_id: string;
  /** Who reported the task last when the plan was sealed. */
  reported_by: string;
  target_agent_id: string | null;
  payload: string;
  payload_digest: string;
  payload_size: number;
  required_contract_version: number;
  delivery_state: string;
  outcome: string;
  /** Made by the claim. */
  command_id: string | null;
  claimed_agent_id: string | null;
  /** Which connection of the agent it was claimed for: when that began, in epoch milliseconds; null for one that only polls. */
  claimed_generation: number | null;
  claimed_at: Date | null;
  claim_deadline_at: Date | null;
  completed_at: Date | null;
  error: string | null;
  /** Of a canary's child: awaited, succeeded, failed; null for every other. */
  task_outcome: string | null;
  /** When the task had ended before its retry, to tell its next end from that. */
  ended_before_at: Date | null;
  /** The task that the retry made, where it made one. */
  new_task_id: string | null;
}
