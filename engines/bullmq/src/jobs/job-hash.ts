import { isJsonObject } from "@svc/protocol";
import { type PriorityTable, priorityOf } from "../options.ts";
import { readPayload } from "./payload.ts";

/** Fields of a job hash, as strings; undefined when the hash is missing or the field was not read. */
export type JobHash = Readonly<Partial<Record<JobField, string>>>;

// biome-ignore format: a list
export type JobField =
  | "name" | "data" | "opts" | "timestamp" | "priority" | "parent" | "parentKey" | "processedOn" | "finishedOn" | "ats" | "atm" | "pb"
  | "failedReason" | "stacktrace" | "returnvalue";

/**
 * Job option with which a retry as a new job names the task it retries: `queue.add(name, data, { svcRetriedFrom })`. BullMQ keeps unknown
 * options.
 */
export const retriedFromOption = "svcRetriedFrom";

export type JobInputs = ReturnType<typeof readInputs>;

/** The fields that only a task's first event carries. */
export function readInputs(hash: JobHash, priorities: PriorityTable) {
  const opts = parseObject(hash.opts);
  const data = readPayload(hash.data);
  const kwargs = isJsonObject(data) ? data : undefined;
  const attempts = Number(opts.attempts);
  return {
    args: kwargs || data === undefined ? [] : [data],
    kwargs,
    priority: priorityOf(Number(hash.priority ?? opts.priority ?? 0) || 0, priorities),
    createdMs: msOrUndefined(hash.timestamp),
    delayMs: Math.max(Number(opts.delay) || 0, 0),
    maxAttempts: Number.isSafeInteger(attempts) && attempts > 1 ? attempts : 1,
    retriedFrom: textOrUndefined(opts[retriedFromOption]),
    traceparent: traceparentOf(opts.tm),
  };
}

export interface Failure {
  readonly exception: string | undefined;
  readonly traceback: string | undefined;
}

/**
 * Message and stack of one failed attempt. After an outage the hash may already hold a later failure. If it keeps a stack for every
 * attempt, this attempt's stack is used, and its first line is the message.
 *
 * @param index the number of attempts that ended before this one; -1 for the newest.
 */
export function failureOf(hash: JobHash | undefined, index: number): Failure {
  const stacks = readStacks(hash?.stacktrace);
  const attempts = Number(hash?.atm ?? 0);
  // The last attempt of a finished job may have left no stack.
  const isComplete = stacks.length === attempts || (hash?.finishedOn !== undefined && stacks.length === attempts - 1);
  const isOlder = index >= 0 && index + 1 < stacks.length && isComplete;
  if (!isOlder) return { exception: hash?.failedReason, traceback: stacks.at(-1) };
  const traceback = stacks[index];
  return { exception: traceback?.split("\n", 1)[0]?.replace(/^Error: /, ""), traceback };
}

export function msOrUndefined(text: string | undefined): number | undefined {
  const ms = Number(text);
  return text !== undefined && text !== "" && Number.isSafeInteger(ms) && ms >= 0 ? ms : undefined;
}

/** `{ id, queueKey }` of the flow parent. */
export function parentOf(hash: JobHash): { readonly queueKey: string; readonly id: string } | undefined {
  const parent = parseObject(hash.parent);
  const id = textOrUndefined(parent.id);
  const queueKey = textOrUndefined(parent.queueKey);
  if (id && queueKey) return { id, queueKey };
  if (!hash.parentKey) return undefined;
  const cut = hash.parentKey.lastIndexOf(":");
  return cut <= 0 ? undefined : { queueKey: hash.parentKey.slice(0, cut), id: hash.parentKey.slice(cut + 1) };
}

function readStacks(text: string | undefined): readonly string[] {
  const stacks = parsed(text);
  return Array.isArray(stacks) ? stacks.filter((stack) => typeof stack === "string") : [];
}

export function parseObject(text: string | undefined): Readonly<Record<string, unknown>> {
  const value = parsed(text);
  return isJsonObject(value) ? value : {};
}

/** Undefined for invalid JSON. */
function parsed(text: string | undefined): unknown {
  try {
    return text ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

function textOrUndefined(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** BullMQ's OpenTelemetry support stores the trace context as JSON text in the option `tm`. */
function traceparentOf(metadata: unknown): string | undefined {
  if (typeof metadata !== "string") return undefined;
  return /00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}/.exec(metadata)?.[0];
}
