import type { Command, CommandOutcome } from "@svc/agent";
import {
  type CapabilityToken,
  type CommandResult,
  type ReconciledState,
  type ResultAction,
  retryContractMarker,
} from "@svc/protocol";
import type { TaskType } from "./catalogue.ts";
import { engineName, type Order, type Shop } from "./shop.ts";
import type { EndedTask, Inputs } from "./tasks.ts";

/** The adapter's capabilities. Retries are by reference, because the shop keeps the inputs of its failed tasks. */
export const demoCapabilities: readonly (CapabilityToken | typeof retryContractMarker)[] = [
  "retry_task",
  retryContractMarker,
  "cancel_task",
  "bulk_retry",
  "requeue_dead_letter",
  "list_dead_letters",
  "purge_queue",
  "reconcile_task",
  "submit_task",
];

type Priority = TaskType["priority"];
const priorities: readonly Priority[] = ["critical", "high", "normal", "low"];
const excerptCharacters = 512;
const usualPage = 100;
const largestPage = 200;

/** Carries out a command in the shop at `nowMs`. @throws Error with a message for operators. */
export function executeInShop(
  shop: Shop,
  { id, action, parameters, confirmedDepth }: Command,
  nowMs: number,
): CommandOutcome {
  switch (action) {
    case "retry_task": {
      const id = textOf(parameters, "task_id");
      const runsAs = shop.retry(id, nowMs, { inputs: inputsOf(parameters), notBeforeMs: dueMs(parameters, nowMs) });
      return done<"retry_task">(runsAs === id ? { task_id: id } : { task_id: id, new_task_id: runsAs });
    }
    case "requeue_dead_letter": {
      const id = textOf(parameters, "task_id");
      shop.retry(id, nowMs);
      return done<"requeue_dead_letter">({ task_id: id });
    }
    case "bulk_retry":
      return bulkRetry(shop, parameters, nowMs);
    case "cancel_task":
      shop.cancel(textOf(parameters, "task_id"), nowMs);
      return done<"cancel_task">({});
    case "purge_queue":
      return done<"purge_queue">({ purged: shop.purge(textOf(parameters, "queue"), nowMs, confirmedDepth) });
    case "dlq.list":
      return done<"dlq.list">(deadLetters(shop, parameters));
    case "reconcile_task":
      return done<"reconcile_task">(reconciled(shop, textOf(parameters, "task_id")));
    case "submit_task":
      return submitted(shop, parameters, { key: `command ${id}`, name: textOf(parameters, "name") }, nowMs);
    case "schedule.fire": {
      const order = { key: `fire ${textOf(parameters, "fire_id")}`, name: textOf(parameters, "task_name") };
      return submitted(shop, parameters, order, nowMs);
    }
    default:
      throw new Error(`the demo shop doesn't support ${action}`);
  }
}

function done<Action extends ResultAction>(result: CommandResult<Action>): CommandOutcome {
  return { status: "success", result: { ...result } };
}

/** Fails only when none of the tasks could be retried. */
function bulkRetry(shop: Shop, parameters: Record<string, unknown>, nowMs: number): CommandOutcome {
  const { task_ids: ids } = (parameters.filter ?? {}) as { task_ids?: unknown };
  if (!Array.isArray(ids) || ids.length === 0) throw new Error("filter.task_ids must be a non-empty list of task ids");
  const max = Number.isInteger(parameters.max) ? (parameters.max as number) : ids.length;
  const results = [...new Set(ids.map(String))].slice(0, max).map((id) => {
    try {
      shop.retry(id, nowMs);
      return { task_id: id, status: "success" };
    } catch (error) {
      return { task_id: id, status: "failed", error: (error as Error).message };
    }
  });
  const outcome = done<"bulk_retry">({ results });
  const failures = results.filter(({ status }) => status === "failed");
  if (failures.length < results.length) return outcome;
  return { ...outcome, status: "failed", error: failures[0]?.error ?? "no task was retried" };
}

function deadLetters(shop: Shop, parameters: Record<string, unknown>): CommandResult<"dlq.list"> {
  const { queue, cursor, limit = usualPage } = parameters;
  const after = typeof cursor === "string" ? readCursor(cursor) : undefined;
  const kept = shop.ended.allFailed().filter(({ task }) => typeof queue !== "string" || task.type.queue === queue);
  const rest = kept.filter(
    ({ task, endedMs }) => after === undefined || endedMs < after.ms || (endedMs === after.ms && task.id < after.id),
  );
  const page = rest.slice(0, Math.min(Math.max(Number(limit) || usualPage, 1), largestPage));
  const last = page.at(-1);
  return {
    entries: page.map(entryOf),
    next_cursor: last === undefined || page.length === rest.length ? null : cursorOf(last),
    total: kept.length,
    engine: engineName,
  };
}

function entryOf({ task, endedMs, exception }: EndedTask): Record<string, unknown> {
  return {
    task_id: task.id,
    task_name: task.type.name,
    queue: task.type.queue,
    failed_at: new Date(endedMs).toISOString(),
    error_excerpt: (exception ?? "").slice(-excerptCharacters),
    attempts: task.attempt + 1,
  };
}

/** The cursor includes the id, because several tasks may fail in the same millisecond. */
function cursorOf({ endedMs, task }: EndedTask): string {
  return Buffer.from(`${endedMs}|${task.id}`).toString("base64url");
}

function readCursor(cursor: string): { ms: number; id: string } {
  const [, ms, id] = /^(\d+(?:\.\d+)?)\|(.+)$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (ms === undefined || id === undefined) throw new Error("invalid_cursor: not a cursor of the demo shop");
  return { ms: Number(ms), id };
}

function reconciled(shop: Shop, id: string): CommandResult<"reconcile_task"> {
  const place = shop.placeOf(id);
  if (place !== null) return { task_id: id, engine_state: place === "running" ? "started" : "pending" };
  const ended = shop.ended.find(id);
  const states: Partial<Record<EndedTask["state"], ReconciledState>> = { success: "success", failure: "failure" };
  const state = ended === undefined ? undefined : states[ended.state];
  if (ended === undefined || state === undefined) return { task_id: id, engine_state: "unknown" };
  return {
    task_id: id,
    engine_state: state,
    finished_at: new Date(ended.endedMs).toISOString(),
    exception: ended.exception,
  };
}

function submitted(
  shop: Shop,
  parameters: Record<string, unknown>,
  order: Pick<Order, "key" | "name">,
  nowMs: number,
): CommandOutcome {
  const { args, kwargs, queue, priority } = parameters;
  if (!Array.isArray(args ?? []) || typeof (kwargs ?? {}) !== "object" || Array.isArray(kwargs)) {
    throw new Error("args must be a list and kwargs an object");
  }
  if ((priority ?? null) !== null && !priorities.includes(priority as Priority)) {
    throw new Error(`priority must be one of ${priorities.join(", ")}`);
  }
  const taskId = shop.submit(
    {
      ...order,
      args: (args ?? []) as unknown[],
      kwargs: (kwargs ?? {}) as Record<string, unknown>,
      queue: (queue ?? null) === null ? undefined : textOf(parameters, "queue"),
      priority: (priority ?? undefined) as Priority | undefined,
      notBeforeMs: dueMs(parameters, nowMs),
    },
    nowMs,
  );
  return { status: "success", result: { task_id: taskId } };
}

/** Both or neither: an operator's inputs replace all inputs. */
function inputsOf({ override_args: args, override_kwargs: kwargs }: Record<string, unknown>): Inputs | undefined {
  if ((args ?? null) === null && (kwargs ?? null) === null) return undefined;
  if (!Array.isArray(args) || typeof kwargs !== "object" || kwargs === null) {
    throw new Error("Specify both override_args and override_kwargs, or neither");
  }
  return { args, kwargs: kwargs as Record<string, unknown> };
}

function dueMs({ eta }: Record<string, unknown>, nowMs: number): number {
  if ((eta ?? null) === null) return nowMs;
  const ms = Date.parse(String(eta));
  if (Number.isNaN(ms)) throw new Error("eta must be an ISO 8601 time");
  return ms;
}

function textOf(parameters: Record<string, unknown>, name: string): string {
  const value = parameters[name];
  if (typeof value !== "string" || value === "") throw new Error(`${name} is required`);
  return value;
}
