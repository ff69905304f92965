import type { Priority, TaskState } from "./tasks.ts";

export const bulkRetryStatuses = [
  "in_progress",
  "paused",
  "blocked",
  "succeeded",
  "failed",
  "partial",
  "indeterminate",
  "no_match",
] as const;
export type BulkRetryStatus = (typeof bulkRetryStatuses)[number];

export interface BulkRetryCounts {
  total: number;
  pending: number;
  /** Sent and without an outcome. */
  claimed: number;
  /** Without an outcome, sent or not. */
  unobserved: number;
  succeeded: number;
  failed: number;
  /** Sent, and nobody knows what became of it: never sent again. */
  unknown: number;
}

/** A retry of many tasks that the service carries out one by one, across its own restarts. */
export interface BulkRetryRequest {
  id: string;
  status: BulkRetryStatus;
  control_state: "running" | "paused" | "blocked";
  canonical_digest: string;
  plan_digest: string;
  target_agent_id: string | null;
  counts: BulkRetryCounts;
  created_at: string;
  sealed_at: string;
  deadline_at: string;
  last_progress_at: string | null;
  /** Why it is blocked, for people. */
  blocked_reason: string | null;
}

export interface BulkRetryListQuery {
  /** That one alone which sent this command. */
  command_id?: string;
  cursor?: string;
  limit?: number;
}

export interface BulkRetryPage {
  items: BulkRetryRequest[];
  next_cursor: string | null;
}

/** The task state is failure unless given. task_ids need engine and go without priority. */
export interface BulkRetryFilter {
  task_ids?: string[];
  engine?: string;
  state?: TaskState;
  queue?: string;
  name?: string;
  search?: string;
  priority?: Priority[];
  since?: string;
  until?: string;
}

export interface BulkRetryBody {
  /** 1 to 200 characters; the same key with the same body gives the request that is there. */
  idempotency_key: string;
  filter: BulkRetryFilter;
  /** 1 to 10,000, by default 1000; more matches are refused. */
  max?: number;
  /** Without it each task is retried by any agent that can. */
  agent_id?: string;
  /** Retry so many first, and wait what becomes of their tasks. */
  canary_size?: number;
  /** So many of the first may fail before the rest is blocked; by default none. */
  canary_max_failures?: number;
  /** How many are sent in a minute at most. */
  rate_per_minute?: number;
}

/** What a request was sealed with; it never changes. */
export interface BulkRetryPlan {
  /** Id of a user; null when the account is gone. */
  issued_by: string | null;
  /** With its defaults, without `task_ids`. */
  filter: Omit<BulkRetryFilter, "task_ids"> & { state: TaskState };
  /** How many tasks the filter names; null when it names none. */
  named_tasks: number | null;
  max: number;
  max_in_flight: number;
  canary_size: number | null;
  canary_max_failures: number | null;
  rate_per_minute: number | null;
  engines: { engine: string; tasks: number }[];
}

export const bulkRetryOutcomes = ["unobserved", "succeeded", "failed", "unknown"] as const;
export type BulkRetryOutcome = (typeof bulkRetryOutcomes)[number];

/** One task of a bulk retry. */
export interface BulkRetryChild {
  ordinal: number;
  engine: string;
  task_id: string;
  task_name: string | null;
  delivery_state: "pending" | "claimed";
  outcome: BulkRetryOutcome;
  error: string | null;
  command_id: string | null;
  agent_id: string | null;
  new_task_id: string | null;
  claimed_at: string | null;
  completed_at: string | null;
}

export interface BulkRetryChildQuery {
  outcome?: BulkRetryOutcome;
  cursor?: string;
  limit?: number;
}

export interface BulkRetryChildPage {
  items: BulkRetryChild[];
  next_cursor: string | null;
}
