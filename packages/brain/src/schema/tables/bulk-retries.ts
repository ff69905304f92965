// Durable bulk retries: a request, its fixed children, and the text of the request. Rules: features/bulk-retries.

/** A bulk retry with its counters. They are updated with its children in one transaction, so reads don't have to count. */
export interface BulkRetryRequestRow {
  id: string;
  project_id: string;
  /** The account that requested it; null after that account was deleted. */
  issued_by: string | null;
  source_ip: string | null;
  /** Unique in the project. */
  idempotency_key: string;
  /** Hash of the request, to distinguish a repeated request from another one with the same key. */
  canonical_digest: string;
  /** Hash of all children; null until they are fixed. */
  plan_digest: string | null;
  /** The only agent that may run it; null for any. */
  target_agent_id: string | null;
  /** See docs/internals/states/bulk-retry.md. */
  control_state: string;
  blocked_reason: string | null;
  child_count: number;
  /** Not sent yet. */
  pending_count: number;
  /** Sent, no outcome yet. */
  claimed_count: number;
  succeeded_count: number;
  failed_count: number;
  unknown_count: number;
  /** Maximum children in flight at once. */
  max_in_flight: number;
  /** JSON array of {engine, next, end}: the ordinals of the children of an engine; `next` is the first unclaimed one. */
  ranges: string;
  /** Children that are sent before the others; null without a canary and after it has passed. */
  canary_size: number | null;
  canary_max_failures: number;
  canary_failures: number;
  rate_per_minute: number | null;
  /** With a rate limit: when the next child may be sent. */
  next_claim_at: Date | null;
  created_at: Date;
  /** When its children were fixed; null while the search is running. */
  sealed_at: Date | null;
  /** Tasks not sent before it wait until an operator resumes. */
  deadline_at: Date;
  last_progress_at: Date | null;
  finished_at: Date | null;
  /** Tasks found by its search so far; 0 without a search. */
  found_count: number;
  /** Time of the last task that its search reached, from newest to oldest; null before the first step. */
  reached_at: Date | null;
  /** Id of that task. */
  reached_id: string | null;
}

/** A task that the search of a bulk retry has found; deleted when the children are fixed. */
export interface BulkRetryMatchRow {
  request_id: string;
  task_row_id: string;
}

/** The text of a request. It can be long, and SQLite rewrites the whole row with every change, so it is separate from the counters. */
export interface BulkRetryEffectiveRequestRow {
  request_id: string;
  /** JSON object: the request with its defaults filled in. */
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
  /** The agent that last reported the task when the children were fixed. */
  reported_by: string;
  /** Copied from the bulk retry. */
  target_agent_id: string | null;
  /** JSON object: the payload of its command. */
  payload: string;
  payload_digest: string;
  /** Bytes of the payload. */
  payload_size: number;
  /** Version of the retry contract; always 1. */
  required_contract_version: number;
  /** pending or claimed; see docs/internals/states/bulk-retry.md. */
  delivery_state: string;
  /** unobserved, succeeded, failed or unknown. */
  outcome: string;
  /** The command that the claim created. */
  command_id: string | null;
  claimed_agent_id: string | null;
  /** Start of the agent connection that it was claimed for, in epoch milliseconds; null for an agent that polls. */
  claimed_generation: number | null;
  claimed_at: Date | null;
  /** Without a result by then, the outcome is unknown. */
  claim_deadline_at: Date | null;
  completed_at: Date | null;
  error: string | null;
  /** For a child in the canary: awaited, succeeded or failed; null for all others. */
  task_outcome: string | null;
  /** End of the task before its retry, to distinguish the end after it. */
  ended_before_at: Date | null;
  /** The task that the retry created, if any. */
  new_task_id: string | null;
}
