import { purgeConfirmToken } from "@svc/protocol";
import { ApiError, invalid } from "../../../platform/http/error-codes.ts";
import type {
  BulkRetryCommandBody,
  ConsumerBody,
  PoolResizeBody,
  PurgeQueueBody,
  RateLimitBody,
  RetryTaskBody,
  TaskBody,
  WorkerBody,
} from "../schemas.ts";
import type { CommandRequest } from "./place.ts";

/** Converts the body of each command route into a command request. */

const maxOverrideBytes = 65_536;
const reservedPrefix = "__svc_";
const shownIds = 20;

type Named = { readonly idempotency_key?: string | null; readonly agent_id?: string | null };

const keyOf = ({ idempotency_key: key }: Named): string | null => key ?? null;
const agentOf = ({ agent_id: id }: Named): string | null => id?.toLowerCase() ?? null;

export function retryTask(body: RetryTaskBody, now: Date): CommandRequest {
  const { engine, task_id } = body;
  const overrides = overridesOf(body);
  const etaSeconds = body.eta_seconds ?? null;
  return {
    action: "retry_task",
    agentId: agentOf(body),
    target: { type: "task", id: task_id },
    taskId: task_id,
    parameters: (task) => ({
      engine,
      task_id,
      ...overrides,
      // A delay of 0 means no ETA, so that a retry without overrides stays a retry by reference.
      eta: etaSeconds ? new Date(now.getTime() + etaSeconds * 1000).toISOString() : null,
      task_name: task?.name ?? null,
      priority: task?.priority ?? null,
      queue: task?.queue ?? null,
    }),
    body: { agent_id: agentOf(body), engine, task_id, ...overrides, eta_seconds: etaSeconds },
    idempotencyKey: keyOf(body),
    gate: { action: "retry_task", engine, hasInputs: overrides.override_args !== null },
    facts: { has_overrides: overrides.override_args !== null, eta_seconds: etaSeconds },
  };
}

function overridesOf({ override_args: args = null, override_kwargs: kwargs = null }: RetryTaskBody) {
  if ((args === null) !== (kwargs === null)) {
    const missing = args === null ? "override_args" : "override_kwargs";
    throw invalid({ loc: ["body", missing], type: "missing", message: "must be set together with the other override" });
  }
  for (const [name, value] of Object.entries({ override_args: args, override_kwargs: kwargs })) {
    if (Buffer.byteLength(JSON.stringify(value)) > maxOverrideBytes) {
      throw invalid({ loc: ["body", name], type: "too_long", message: "must be 64 KiB or less as JSON" });
    }
  }
  if (Object.keys(kwargs ?? {}).some((key) => key.startsWith(reservedPrefix))) {
    throw invalid({
      loc: ["body", "override_kwargs"],
      type: "reserved",
      message: `has a key that begins with the reserved prefix ${reservedPrefix}`,
    });
  }
  return { override_args: args, override_kwargs: kwargs };
}

export const cancelTask = (body: TaskBody): CommandRequest => ofTask("cancel_task", body);

export const requeueDeadLetter = (body: TaskBody): CommandRequest => ofTask("requeue_dead_letter", body);

function ofTask(action: "cancel_task" | "requeue_dead_letter", body: TaskBody): CommandRequest {
  const { engine, task_id } = body;
  return {
    action,
    agentId: agentOf(body),
    target: { type: "task", id: task_id },
    taskId: task_id,
    parameters: () => ({ engine, task_id }),
    body: { agent_id: agentOf(body), engine, task_id },
    idempotencyKey: keyOf(body),
    gate: { action, engine, hasInputs: false },
  };
}

/**
 * Retries the listed tasks with one command.
 *
 * @param unknownAmong returns the ids without a task in the project and engine.
 * @throws ApiError `gone` when the list of tasks is missing.
 */
export function bulkRetry(
  body: BulkRetryCommandBody,
  unknownAmong: (engine: string, taskIds: readonly string[], limit: number) => Promise<string[]>,
): CommandRequest {
  const { max, filter } = body;
  const given = filter.task_ids ?? null;
  if (given === null) {
    throw new ApiError(
      "gone",
      { reason: "task_ids_required" },
      { message: "task_ids is required; to retry by filter, create a bulk retry request" },
    );
  }
  const engine = filter.engine ?? null;
  if (engine === null) {
    throw invalid({ loc: ["body", "filter", "engine"], type: "missing", message: "is required when task_ids is set" });
  }
  const all = [...new Set(given)];
  const taskIds = all.slice(0, max);
  return {
    action: "bulk_retry",
    agentId: agentOf(body),
    target: { type: "task", id: null },
    parameters: () => ({ filter: { engine, task_ids: taskIds, task_names: null, task_priorities: null }, max }),
    body: { agent_id: agentOf(body), filter: { engine, task_ids: given }, max },
    idempotencyKey: keyOf(body),
    gate: { action: "bulk_retry", engine, hasInputs: false },
    async require() {
      const unknown = await unknownAmong(engine, all, shownIds);
      if (unknown.length === 0) return;
      throw invalid(
        {
          loc: ["body", "filter", "task_ids"],
          type: "unknown_task",
          message: `has ids without a task of ${engine} in this project`,
        },
        { task_ids: unknown },
      );
    },
    facts: { tasks: taskIds.length },
  };
}

/** @param secret of the project, the key of the confirm token. */
export function purgeQueue(body: PurgeQueueBody, secret: () => Uint8Array): CommandRequest {
  const { queue, confirm_token: given = null, observed_depth: depth = null } = body;
  const isForced = body.force ?? false;
  const token = given ?? (depth === null ? null : purgeConfirmToken(secret(), queue, depth));
  return {
    action: "purge_queue",
    agentId: agentOf(body),
    target: { type: "queue", id: queue },
    parameters: () => ({ ...engineField(body), queue, confirm_token: token, force: isForced }),
    body: {
      agent_id: agentOf(body),
      queue,
      confirm_token: given,
      observed_depth: depth,
      force: isForced,
      engine: body.engine ?? null,
    },
    idempotencyKey: keyOf(body),
    facts: { observed_depth: depth, is_confirmed: token !== null, force: isForced },
  };
}

type WorkerAction = "restart_worker" | "pool_grow" | "pool_shrink" | "add_consumer" | "cancel_consumer";

export const restartWorker = (body: WorkerBody): CommandRequest => ofWorker("restart_worker", body, {}, {});

export function poolResize(body: PoolResizeBody): CommandRequest {
  const { delta } = body;
  if (delta === 0) throw invalid({ loc: ["body", "delta"], type: "zero", message: "must not be 0" });
  const action = delta > 0 ? "pool_grow" : "pool_shrink";
  return ofWorker(action, body, { delta: Math.abs(delta) }, { delta });
}

export const addConsumer = (body: ConsumerBody): CommandRequest =>
  ofWorker("add_consumer", body, { queue: body.queue }, { queue: body.queue });

export const cancelConsumer = (body: ConsumerBody): CommandRequest =>
  ofWorker("cancel_consumer", body, { queue: body.queue }, { queue: body.queue });

function ofWorker(
  action: WorkerAction,
  body: WorkerBody,
  parameters: Record<string, unknown>,
  requested: Record<string, unknown>,
): CommandRequest {
  const { worker_name } = body;
  return {
    action,
    agentId: agentOf(body),
    target: { type: "worker", id: worker_name },
    parameters: () => ({ ...engineField(body), worker_name, ...parameters }),
    body: { agent_id: agentOf(body), worker_name, engine: body.engine ?? null, ...requested },
    idempotencyKey: keyOf(body),
    facts: requested,
  };
}

export function rateLimit(body: RateLimitBody): CommandRequest {
  const { task_name, worker_name = null } = body;
  const rate = String(body.rate);
  return {
    action: "rate_limit",
    agentId: agentOf(body),
    // Without a worker, the task name is the target.
    target: { type: "worker", id: worker_name ?? task_name },
    parameters: () => ({ ...engineField(body), task_name, rate, worker_name }),
    body: { agent_id: agentOf(body), task_name, rate: body.rate, worker_name, engine: body.engine ?? null },
    idempotencyKey: keyOf(body),
    facts: { task_name, rate },
  };
}

/** The engine, if the request names it: an agent with one engine needs none. */
const engineField = ({ engine }: { readonly engine?: string | null }): { engine?: string } =>
  engine == null ? {} : { engine };
