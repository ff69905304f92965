export const taskStates = [
  "pending",
  "received",
  "started",
  "success",
  "failure",
  "retry",
  "revoked",
  "rejected",
  "unknown",
] as const;
export type TaskState = (typeof taskStates)[number];

export const priorities = ["critical", "high", "normal", "low"] as const;
export type Priority = (typeof priorities)[number];

/** A task without the fields that the hub leaves out. */
export interface TaskRow {
  id: string;
  project_id: string;
  engine: string;
  task_id: string;
  name: string;
  queue: string | null;
  state: TaskState;
  priority: Priority;
  exception: string | null;
  retry_count: number;
  attempt: number;
  max_attempts?: number | null;
  eta: string | null;
  received_at: string;
  started_at: string | null;
  finished_at: string | null;
  wait_ms?: number | null;
  runtime_ms: number | null;
  worker_name: string | null;
  parent_task_id: string | null;
  root_task_id: string | null;
  tags: string[];
  release?: string | null;
  traceparent?: string | null;
  /** Of its last failure: 32 hexadecimal digits, as the issue of such failures has them. */
  fingerprint?: string | null;
  retry_of?: string | null;
  retried_as?: string | null;
  created_at: string;
  updated_at: string;
}

export interface Task extends TaskRow {
  args: unknown[];
  kwargs: Record<string, unknown>;
  result: unknown;
  traceback: string | null;
}

export interface TaskPage {
  items: Task[];
  next_cursor: string | null;
  total_count?: number | null;
  /** Present when the time for the search ran out before the page was full: everything down to `reached` was looked at. */
  partial?: { reached: string; cursor: string };
}

/** since and until are RFC 3339 instants; priority is a comma-separated list. */
export interface TaskFilters {
  state?: TaskState;
  priority?: string;
  name?: string;
  search?: string;
  queue?: string;
  worker?: string;
  since?: string;
  until?: string;
  /** The query language of docs/search.md; `@svc/client/task-query` reads and completes it. */
  q?: string;
}

export interface TaskListQuery extends TaskFilters {
  cursor?: string;
  limit?: number;
  include_total?: boolean;
}

/** `fields` is a comma-separated list of columns; all of them without it. */
export interface TaskExportQuery extends TaskFilters {
  format: "csv" | "xlsx" | "json";
  fields?: string;
}

/** At least one of them. */
export interface BulkDeleteFilters {
  filter_state?: TaskState;
  filter_priority?: Priority[];
  filter_search?: string;
  filter_name?: string;
  filter_queue?: string;
  filter_worker?: string;
  filter_since?: string;
  filter_until?: string;
}

export type TaskCauseCode =
  | "no_consumer"
  | "queue_paused"
  | "rate_limited"
  | "eta_ahead"
  | "prefetched"
  | "worker_silent"
  | "agent_offline"
  | "schedule_disabled"
  | "events_lost"
  | "running_long"
  | "finished"
  | "unknown";

export interface TaskCause {
  code: TaskCauseCode;
  /** One or two sentences in English. */
  message: string;
  /** What is known, by members of each code: texts, counts, milliseconds in `_ms`, instants; null where nobody knows. */
  evidence: Record<string, unknown>;
  since?: string;
}

export interface TaskExplanation {
  state: TaskState;
  /** The most likely first; never empty. */
  causes: TaskCause[];
}

export interface TaskTreeNode {
  engine: string;
  task_id: string;
  name: string;
  state: TaskState;
  parent_task_id?: string | null;
  root_task_id?: string | null;
  received_at?: string | null;
  started_at?: string | null;
  finished_at?: string | null;
}

export interface TaskTree {
  root_task_id: string;
  node_count: number;
  truncated: boolean;
  nodes: TaskTreeNode[];
}
