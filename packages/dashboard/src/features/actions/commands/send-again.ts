import type { Command, CommandStatus } from "@svc/client";
import { hasMarker } from "../../../ui/forms/json-inputs.ts";
import type { Capability } from "../requests/eligible-agents.ts";
import { hasUnknownOutcome, isUnsent, type Sending } from "./labels.ts";

/** The client method that creates the command. */
type Method =
  | "cancelTask"
  | "retryTask"
  | "requeueDeadLetter"
  | "retryTasks"
  | "restartWorker"
  | "resizePool"
  | "addConsumer"
  | "cancelConsumer"
  | "limitRate";

interface Recipe {
  capability: Capability;
  /** The payload fields that the new request has. */
  fields: readonly string[];
  method: Method;
}

/** Without purge, which is tied to the queue depth that the user saw. */
const recipes: Readonly<Record<string, Recipe>> = {
  cancel_task: { capability: "cancel_task", fields: ["engine", "task_id"], method: "cancelTask" },
  retry_task: {
    capability: "retry_task",
    fields: ["engine", "task_id", "override_args", "override_kwargs"],
    method: "retryTask",
  },
  requeue_dead_letter: {
    capability: "requeue_dead_letter",
    fields: ["engine", "task_id"],
    method: "requeueDeadLetter",
  },
  bulk_retry: { capability: "bulk_retry", fields: ["filter", "max"], method: "retryTasks" },
  restart_worker: { capability: "restart_worker", fields: ["engine", "worker_name"], method: "restartWorker" },
  pool_grow: { capability: "pool_grow", fields: ["engine", "worker_name", "delta"], method: "resizePool" },
  pool_shrink: { capability: "pool_shrink", fields: ["engine", "worker_name", "delta"], method: "resizePool" },
  add_consumer: { capability: "add_consumer", fields: ["engine", "worker_name", "queue"], method: "addConsumer" },
  cancel_consumer: {
    capability: "cancel_consumer",
    fields: ["engine", "worker_name", "queue"],
    method: "cancelConsumer",
  },
  rate_limit: {
    capability: "rate_limit",
    fields: ["engine", "worker_name", "task_name", "rate"],
    method: "limitRate",
  },
};

const unsuccessful: readonly CommandStatus[] = ["failed", "timeout", "cancelled"];

/**
 * Whether an unsuccessful command can be sent again unchanged. One that may have run is repeated only if that is harmless; for others the
 * user checks the target first.
 */
export function canSendAgain(command: Sending & Pick<Command, "error" | "result">): boolean {
  const { action, status } = command;
  if (!unsuccessful.includes(status) || !Object.hasOwn(recipes, action)) return false;
  if (command.is_repeatable) return true;
  return isUnsent(command) || (status !== "timeout" && !hasUnknownOutcome(command));
}

export interface Again {
  engine: string;
  capability: Capability;
  body: Record<string, unknown>;
  method: Method;
}

/** The request that repeats a command; null if its payload is incomplete. */
export function requestOf({ action, payload }: Pick<Command, "action" | "payload">): Again | null {
  const recipe = Object.hasOwn(recipes, action) ? recipes[action] : undefined;
  const { engine = (payload.filter as { engine?: unknown } | undefined)?.engine } = payload;
  if (recipe === undefined || typeof engine !== "string" || hasMarker(payload)) return null;
  const body = Object.fromEntries(
    recipe.fields.flatMap((field) => (payload[field] == null ? [] : [[field, payload[field]]])),
  );
  if (action === "pool_shrink" && typeof body.delta === "number") body.delta = -body.delta;
  // With a worker, the engine must be able to limit the rate of workers.
  const capability = action === "rate_limit" && "worker_name" in body ? "rate_limit_of_worker" : recipe.capability;
  return { engine, capability, body, method: recipe.method };
}
