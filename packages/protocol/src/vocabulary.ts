/** Task states. No event leads to `unknown`. Only restored rows have it, and it is a filter value. */
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

/** States that a task leaves only with a greater attempt or a later terminal event. */
export const terminalTaskStates = ["success", "failure", "revoked", "rejected"] as const satisfies readonly TaskState[];

/** Task event kinds in rank order. The index is the rank in the event key. */
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

/** Every kind of a stored event. Any other string is stored as `unknown`. */
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

/** The state of a task by the kind of its winning event. */
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

/** Kinds that finish a task, as every count of finished tasks has it. A retry finishes nothing. */
export const finishedKinds = taskKinds.filter((kind) =>
  terminalTaskStates.some((state) => state === stateOfKind[kind]),
);

export const priorities = ["critical", "high", "normal", "low"] as const;
export type Priority = (typeof priorities)[number];

/** Conventional values of hello's `worker_role`. */
export const workerRoles = ["web", "task", "scheduler", "beat", "other"] as const;

/** Capability tokens that an engine adapter may list in hello's `capabilities`. */
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

/** Marks a safe retry by reference: of concurrent retries of one task, one succeeds. */
export const retryContractMarker = "retry_by_reference_v1";
/** Marks an adapter that can retry only by submitting a new task with given inputs. */
export const retryResubmitsMarker = "retry_resubmits";
/** Marks an adapter whose `rate_limit` applies to a whole queue, named in the command's `task_name`, not to a task name or worker. */
export const rateLimitByQueueMarker = "rate_limit_by_queue";

/** Capability tokens of a scheduler adapter. */
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
