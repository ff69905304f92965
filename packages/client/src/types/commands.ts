export const commandStatuses = ["pending", "dispatched", "completed", "failed", "timeout", "cancelled"] as const;
export type CommandStatus = (typeof commandStatuses)[number];

/** What a command asks for; a newer server may know more. */
export type CommandAction =
  | "retry_task"
  | "cancel_task"
  | "bulk_retry"
  | "purge_queue"
  | "requeue_dead_letter"
  | "dlq.list"
  | "restart_worker"
  | "pool_grow"
  | "pool_shrink"
  | "add_consumer"
  | "cancel_consumer"
  | "rate_limit"
  | "reconcile_task"
  | "submit_task"
  | "schedule.fire"
  | "schedule.enable"
  | "schedule.disable"
  | "schedule.trigger_now"
  | "schedule.trigger_now.via_scheduler"
  | "schedule.delete"
  | "schedule.resync";

/** A viewer reads issued_by and result as null and payload as {}; the confirm_token of a payload is masked for everybody. */
export interface Command {
  id: string;
  project_id: string;
  /** A user; null for what the service issues by itself, and of a deleted user. */
  issued_by: string | null;
  agent_id: string | null;
  action: CommandAction;
  target_type: string;
  target_id: string | null;
  payload: Record<string, unknown>;
  idempotency_key: string | null;
  status: CommandStatus;
  result: unknown;
  error: string | null;
  issued_at: string;
  dispatched_at: string | null;
  completed_at: string | null;
  timeout_at: string | null;
  source_ip: string | null;
}

export interface CommandPage {
  items: Command[];
  next_cursor: string | null;
}

export interface CommandListQuery {
  status?: CommandStatus;
  agent_id?: string;
  action?: CommandAction;
  cursor?: string;
  limit?: number;
}

/** The same key with the same request gives the command that is there; with another request it is refused. 1 to 200 characters. */
interface Idempotent {
  idempotency_key?: string;
}

/** Without agent_id the agent that reported the task last, when it qualifies. */
export interface TaskCommandBody extends Idempotent {
  agent_id?: string;
  engine: string;
  task_id: string;
}

/** Neither override (retry by reference) or both. Some engines can retry only with both: 409. */
export interface RetryTaskBody extends TaskCommandBody {
  override_args?: unknown[];
  override_kwargs?: Record<string, unknown>;
  /** 0 to 86,400 from the arrival of the request. */
  eta_seconds?: number;
}

export interface BulkRetryCommandBody extends Idempotent {
  agent_id: string;
  filter: { engine: string; task_ids: string[] };
  /** 1 to 10,000: the first so many different ids are retried. */
  max: number;
}

interface ByAgent {
  agent_id: string;
  /** Needed where the agent serves several engines. */
  engine?: string;
}

/** With a token, the depth that was looked at, or force; else the agent refuses afterwards. */
export interface PurgeQueueBody extends Idempotent, ByAgent {
  queue: string;
  confirm_token?: string;
  observed_depth?: number;
  force?: boolean;
}

export interface RestartWorkerBody extends Idempotent, ByAgent {
  worker_name: string;
}

export interface PoolResizeBody extends RestartWorkerBody {
  /** -100 to 100, not 0: how many more or fewer. */
  delta: number;
}

export interface ConsumerBody extends RestartWorkerBody {
  queue: string;
}

export interface RateLimitBody extends Idempotent, ByAgent {
  task_name: string;
  /** A whole number, with /s, /m or /h if wanted; 0 ends the limit. */
  rate: string | number;
  /** To be named: without it the limit may reach nobody and the command succeeds all the same. */
  worker_name?: string;
}
