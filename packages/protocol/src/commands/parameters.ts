import type { Priority } from "../vocabulary.ts";
import type { CommandAction } from "./actions.ts";

/** Parameters and results by action (4.1). The parameters are the command's stored payload; results are those of a success. */
export interface TaskReference {
  engine: string;
  task_id: string;
}

export interface RetryTaskParameters extends TaskReference {
  override_args?: unknown[] | null;
  override_kwargs?: Record<string, unknown> | null;
  /** Absolute instant. */
  eta?: string | null;
  task_name?: string | null;
  priority?: Priority | null;
  queue?: string | null;
}

export interface RetriedTask {
  task_id: string;
  new_task_id?: string | null;
}

export interface BulkRetryParameters {
  /** Names and priorities are by task id. */
  filter: {
    engine: string;
    task_ids: string[];
    task_names?: Record<string, string>;
    task_priorities?: Record<string, Priority>;
  };
  max: number;
}

export interface BulkRetryResult {
  results: { task_id: string; status: string; new_task_id?: string | null; error?: string | null }[];
}

export interface PurgeQueueParameters {
  queue: string;
  /** `purgeConfirmToken` of the depth that was shown; masked on every read. */
  confirm_token: string;
  force: boolean;
}

export interface WorkerReference {
  worker_name: string;
}

export interface PoolParameters extends WorkerReference {
  /** Positive. */
  delta: number;
}

export interface ConsumerParameters extends WorkerReference {
  queue: string;
}

export interface RateLimitParameters {
  task_name: string;
  rate: string;
  worker_name?: string | null;
}

/** What an engine answers about one task; the brain turns it into an event (2.6). */
export const reconciledStates = ["pending", "started", "success", "failure", "unknown"] as const;
export type ReconciledState = (typeof reconciledStates)[number];

export interface ReconcileResult {
  task_id: string;
  engine_state: ReconciledState;
  finished_at?: string | null;
  exception?: string | null;
}

export interface SubmitTaskParameters {
  name: string;
  args: unknown[];
  kwargs: Record<string, unknown>;
  queue: string | null;
  eta: string | null;
  priority: Priority | null;
}

export interface ScheduleFireParameters {
  task_name: string;
  engine: string;
  queue: string | null;
  args: unknown[];
  kwargs: Record<string, unknown>;
  priority: Priority | null;
  schedule_id: string;
  schedule_name: string;
  fire_id: string;
  scheduled_for: string;
}

export interface ScheduleReference {
  schedule_id: string;
  name: string;
  scheduler: string;
}

interface Shape<P, R> {
  parameters: P;
  result: R;
}
type Nothing = Record<string, never>;

interface CommandShapes {
  retry_task: Shape<RetryTaskParameters, RetriedTask>;
  cancel_task: Shape<TaskReference, Nothing>;
  bulk_retry: Shape<BulkRetryParameters, BulkRetryResult>;
  purge_queue: Shape<PurgeQueueParameters, { purged: number }>;
  requeue_dead_letter: Shape<TaskReference, RetriedTask>;
  "dlq.list": Shape<DlqListParameters, DlqListResult>;
  restart_worker: Shape<WorkerReference, Nothing>;
  pool_grow: Shape<PoolParameters, Nothing>;
  pool_shrink: Shape<PoolParameters, Nothing>;
  add_consumer: Shape<ConsumerParameters, Nothing>;
  cancel_consumer: Shape<ConsumerParameters, Nothing>;
  rate_limit: Shape<RateLimitParameters, Nothing>;
  reconcile_task: Shape<TaskReference, ReconcileResult>;
  submit_task: Shape<SubmitTaskParameters, { task_id: string }>;
  "schedule.fire": Shape<ScheduleFireParameters, { task_id?: string | null }>;
  "schedule.enable": Shape<ScheduleReference, Nothing>;
  "schedule.disable": Shape<ScheduleReference, Nothing>;
  "schedule.trigger_now": Shape<ScheduleReference, Nothing>;
  "schedule.trigger_now.via_scheduler": Shape<ScheduleReference, Nothing>;
  "schedule.delete": Shape<ScheduleReference, Nothing>;
  "schedule.resync": Shape<Nothing, { schedulers_drained: string[] }>;
}

export type CommandParameters<A extends CommandAction> = CommandShapes[A]["parameters"];
export type CommandResult<A extends CommandAction> = CommandShapes[A]["result"];

/** Asks the agent for one page of an engine's dead letters; the target is `{type: "queue", id: queue or "", engine}`. */
export interface DlqListParameters {
  /** The target's as well. */
  engine?: string;
  queue?: string | null;
  limit: number;
  cursor?: string | null;
}

/** The page as the agent sent it; the brain checks each entry. */
export interface DlqListResult {
  entries: Record<string, unknown>[];
  next_cursor: string | null;
  total: number | null;
  engine: string;
}
