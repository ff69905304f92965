import type { Command, CommandStatus } from "@svc/client";
import type { Capability } from "../requests/able.ts";
import { hasUnknownOutcome } from "../requests/unknown-outcome.ts";
import { hasMarker } from "../tasks/override-text.ts";

/** Running twice does what running once does: the service itself repeats it as well. */
const redeliverable = "cancel_task";

/** The method of the client that asks for it. */
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

interface Way {
  capability: Capability;
  /** What of the payload is asked for again. */
  fields: readonly string[];
  method: Method;
}

/** A purge is not among them: it belongs to the depth that somebody saw. */
const ways: Readonly<Record<string, Way>> = {
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
 * Whether a command that did not succeed may be made once more as it was. What may have run is repeated only where that does no harm:
 * for the others their target is to be looked at first.
 */
export function mayHaveToBeSentAgain(command: Pick<Command, "action" | "status" | "error" | "result">): boolean {
  const { action, status } = command;
  if (!unsuccessful.includes(status) || !Object.hasOwn(ways, action)) return false;
  if (action === redeliverable) return true;
  return status !== "timeout" && !hasUnknownOutcome(command);
}

export interface Again {
  engine: string;
  capability: Capability;
  body: Record<string, unknown>;
  method: Method;
}

/** The request that makes such a command once more; null where its payload does not tell it whole. */
export function requestOf({ action, payload }: Pick<Command, "action" | "payload">): Again | null {
  const way = Object.hasOwn(ways, action) ? ways[action] : undefined;
  const { engine = (payload.filter as { engine?: unknown } | undefined)?.engine } = payload;
  if (way === undefined || typeof engine !== "string" || hasMarker(payload)) return null;
  const body = Object.fromEntries(
    way.fields.flatMap((field) => (payload[field] == null ? [] : [[field, payload[field]]])),
  );
  if (action === "pool_shrink" && typeof body.delta === "number") body.delta = -body.delta;
  // With a worker only where a worker's rate can be limited; without one, as the engine takes it.
  const capability = action === "rate_limit" && "worker_name" in body ? "rate_limit_of_worker" : way.capability;
  return { engine, capability, body, method: way.method };
}
