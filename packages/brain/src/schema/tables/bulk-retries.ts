// Durable bulk retries: a request, its sealed children, and the request's text. Rules: features/bulk-retries.

/** A request with its counters, which change with its children in one transaction, so that no read has to count. */
export interface BulkRetryRequestRow {
  id: string;
  project_id: string;
  /** The account; null once it was deleted. */
  issued_by: string | null;
  source_ip: string | null;
  /** Unique in the project. */
  idempotency_key: string;
  /** Of the request, to tell a repetition from another request with the same key. */
  canonical_digest: string;
  /** Of all children; null until they are sealed. */
  plan_digest: string | null;
  /** The only agent that may run it; null for any. */
  target_agent_id: string | null;
  /** docs/internals/states/bulk-retry.md. */
  control_state: string;
  blocked_reason: string | null;
  child_count: number;
  /** Not sent yet. */
  pending_count: number;
  /** Sent and without an outcome. */
  claimed_count: number;
  succeeded_count: number;
  failed_count: number;
  unknown_count: number;
  /** Children that may be sent and without an outcome at once. */
  max_in_flight: number;
  /** JSON list of {engine, next, end}: which ordinals an engine has and the first that is not claimed. */
  ranges: string;
  /** Children that are sent before the others; null without a canary, and once it has passed. */
  canary_size: number | null;
  canary_max_failures: number;
  canary_failures: number;
  rate_per_minute: number | null;
  /** With a rate: when the next child may be sent. */
  next_claim_at: Date | null;
  created_at: Date;
  /** When its children were fixed; null while a search still finds them. */
  sealed_at: Date | null;
  /** What is not sent by then waits for an operator. */
  deadline_at: Date;
  last_progress_at: Date | null;
  finished_at: Date | null;
  /** Tasks that its search has found so far; 0 without a search. */
  found_count: number;
  /** The task that its search reached, newest first; null before the first step. */
  reached_at: Date | null;
  reached_id: string | null;
}

/** A task that the search of a request has found; deleted when the request is sealed. */
export interface BulkRetryMatchRow {
  request_id: string;
  task_row_id: string;
}

/** Kept apart from the counters: it may be long, and the embedded database writes a whole row with every change. */
export interface BulkRetryEffectiveRequestRow {
  request_id: string;
  /** JSON object: the request with everything that was left out filled in. */
  effective_request: string;
}

/** One task of a bulk retry. */
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
  /** As of its request. */
  target_agent_id: string | null;
  /** JSON object: what its command carries. */
  payload: string;
  payload_digest: string;
  /** Bytes of the payload. */
  payload_size: number;
  /** Of the retry contract; always 1. */
  required_contract_version: number;
  /** pending or claimed: docs/internals/states/bulk-retry.md. */
  delivery_state: string;
  /** unobserved, succeeded, failed or unknown. */
  outcome: string;
  /** Made by the claim. */
  command_id: string | null;
  claimed_agent_id: string | null;
  /** Which connection of the agent it was claimed for: when that began, in epoch milliseconds; null for one that only polls. */
  claimed_generation: number | null;
  claimed_at: Date | null;
  /** Without a result by then its outcome is unknown. */
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
