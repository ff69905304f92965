/** Task states; `unknown` is reached by no event, only by rows restored from elsewhere, and serves as a filter. */
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

/** The states that only a greater attempt or a later terminal event leaves (2.5). */
export const terminalTaskStates = ["success", "failure", "revoked", "rejected"] as const satisfies readonly TaskState[];

/** Kinds that tell the life of one task, in rank order: the index is the rank of the event key (2.5). */
export const taskKinds = [
  "task.sent",
  "task.received",
  "task.started",
  "task.retried",
  "task.rejected",
  "task.revoked",
  "task.failed",
  "task.succeeded",
] as const;
export type TaskKind = (typeof taskKinds)[number];

/** Every kind a stored event may have (2.1); another string is stored as `unknown`. */
export const eventKinds = [
  ...taskKinds,
  "worker.online",
  "worker.offline",
  "worker.heartbeat",
  "queue.depth_report",
  "schedule.run_started",
  "schedule.run_completed",
  "schedule.created",
  "schedule.updated",
  "schedule.deleted",
  "schedule.snapshot",
  "unknown",
] as const;
export type EventKind = (typeof eventKinds)[number];

/** The state that a task takes from the kind of its winning event (2.5). */
export const stateOfKind = {
  "task.sent": "pending",
  "task.received": "received",
  "task.started": "started",
  "task.retried": "retry",
  "task.succeeded": "success",
  "task.failed": "failure",
  "task.revoked": "revoked",
  "task.rejected": "rejected",
} as const satisfies Record<TaskKind, TaskState>;

export const priorities = ["critical", "high", "normal", "low"] as const;
export type Priority = (typeof priorities)[number];

/** Conventional values of hello's `worker_role`. */
export const workerRoles = ["web", "task", "scheduler", "beat", "other"] as const;

/** What an engine adapter may list under its name in hello's `capabilities` (1.13). */
export const capabilityTokens = [
  "retry_task",
  "cancel_task",
  "bulk_retry",
  "purge_queue",
  "requeue_dead_letter",
  "list_dead_letters",
  "restart_worker",
  "pool_grow",
  "pool_shrink",
  "add_consumer",
  "cancel_consumer",
  "rate_limit",
  "submit_task",
  "reconcile_task",
] as const;
export type CapabilityToken = (typeof capabilityTokens)[number];

/** The contract marker of a safe retry by reference (4.2). */
export const retryContractMarker = "retry_by_reference_v1";
/** Says that the adapter can retry only by submitting again with given inputs. */
export const retryResubmitsMarker = "retry_resubmits";
/** Beside `rate_limit`: the adapter limits a queue as a whole, whose name is the command's `task_name`, and neither a task name nor a worker. */
export const rateLimitByQueueMarker = "rate_limit_by_queue";

/** What a scheduler adapter may list (1.13). */
export const schedulerCapabilityTokens = [
  "schedule.enable",
  "schedule.disable",
  "schedule.trigger_now",
  "schedule.delete",
  "schedule.resync",
] as const;
export type SchedulerCapabilityToken = (typeof schedulerCapabilityTokens)[number];

const taskKindSet: ReadonlySet<string> = new Set(taskKinds);
const eventKindSet: ReadonlySet<string> = new Set(eventKinds);

export function isTaskKind(kind: string): kind is TaskKind {
  return taskKindSet.has(kind);
}

export function isEventKind(kind: string): kind is EventKind {
  return eventKindSet.has(kind);
}
