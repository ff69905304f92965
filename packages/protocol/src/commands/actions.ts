import type { CapabilityToken, SchedulerCapabilityToken } from "../vocabulary.ts";

/** Every command action, with the capability token of adapters that support it. */
export const capabilityOfAction = {
  retry_task: "retry_task",
  cancel_task: "cancel_task",
  bulk_retry: "bulk_retry",
  purge_queue: "purge_queue",
  requeue_dead_letter: "requeue_dead_letter",
  "dlq.list": "list_dead_letters",
  restart_worker: "restart_worker",
  pool_grow: "pool_grow",
  pool_shrink: "pool_shrink",
  add_consumer: "add_consumer",
  cancel_consumer: "cancel_consumer",
  rate_limit: "rate_limit",
  reconcile_task: "reconcile_task",
  submit_task: "submit_task",
  "schedule.fire": "submit_task",
  "schedule.enable": "schedule.enable",
  "schedule.disable": "schedule.disable",
  "schedule.trigger_now": "schedule.trigger_now",
  "schedule.trigger_now.via_scheduler": "schedule.trigger_now",
  "schedule.delete": "schedule.delete",
  "schedule.resync": "schedule.resync",
} as const satisfies Record<string, CapabilityToken | SchedulerCapabilityToken>;
export type CommandAction = keyof typeof capabilityOfAction;
export const commandActions = Object.keys(capabilityOfAction) as readonly CommandAction[];

/** Actions that are safe to send again after dispatch. Every other action is sent at most once. */
export const redeliverableActions: ReadonlySet<string> = new Set<CommandAction>([
  "schedule.fire",
  "schedule.trigger_now",
  "schedule.trigger_now.via_scheduler",
  "cancel_task",
  "reconcile_task",
  "schedule.resync",
  "schedule.enable",
  "schedule.disable",
]);

/**
 * Actions that adapters carry out once for each key, such as the id of a fire: a repetition has no further effect and the same result. An
 * agent repeats them when it was stopped or killed before they ended, and leaves those that it can't take unacknowledged.
 */
export const idempotentActions: ReadonlySet<string> = new Set<CommandAction>([
  "schedule.fire",
  "schedule.trigger_now",
  "schedule.trigger_now.via_scheduler",
]);

export function isCommandAction(action: string): action is CommandAction {
  return Object.hasOwn(capabilityOfAction, action);
}
