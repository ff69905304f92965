import { type EventRecord, sidecarEventId } from "@svc/protocol";
import type { JobFacts } from "../jobs/job-facts.ts";
import { failureOf, type JobHash, type JobInputs } from "../jobs/job-hash.ts";
import { readPayload } from "../jobs/payload.ts";
import type { QueueNames } from "../redis/names.ts";
import type { StreamEntry } from "../stream/stream-entry.ts";

/**
 * Maps the life of a BullMQ job to task events. `added` sends a task, `waiting` receives it, `active` starts it, `completed` and `failed`
 * end it (BullMQ writes `failed` only when no attempt is left). A failed attempt that will be retried appears only as `delayed`, or as
 * `waiting` after `active`; the job's hash distinguishes it from a rate limit, a stall or a waiting step. The attempt number is the count
 * of starts minus one. A manual retry does not reset it, so it only rises.
 */
export interface EntryContext {
  readonly engine: string;
  readonly names: QueueNames;
  readonly taskId: string;
  readonly facts: JobFacts;
  /** The job's hash, read after the entry; undefined when the entry alone is enough. */
  readonly hash: JobHash | undefined;
  /** Set for the first event of a task in this run of the agent. */
  readonly inputs: JobInputs | undefined;
}

/** Turns an entry into at most one event, and updates the facts. */
export function taskEventOf(entry: StreamEntry, context: EntryContext): EventRecord | undefined {
  const { facts } = context;
  switch (entry.event) {
    case "added":
      facts.name = entry.name ?? facts.name;
      return event("task.sent", entry, context, 0, {});
    case "waiting":
      return waiting(entry, context);
    case "waiting-children":
      // After `added` it adds no information; after `active` the job goes back to wait for its children.
      if (entry.prev !== "active") return undefined;
      facts.startedMs = undefined;
      return event("task.sent", entry, context, facts.starts, {});
    case "delayed":
      return delayed(entry, context);
    case "active":
      return started(entry, context);
    case "completed":
      return ended("task.succeeded", entry, context, { result: readPayload(entry.returnvalue) ?? null });
    case "failed": {
      const { exception, traceback } = failureOf(context.hash, -1);
      return ended("task.failed", entry, context, { exception: entry.failedReason ?? exception, traceback });
    }
    case "removed":
      return removed(entry, context);
    default:
      return undefined;
  }
}

function waiting(entry: StreamEntry, context: EntryContext): EventRecord | undefined {
  const { facts } = context;
  facts.waitingSinceMs = entry.ms;
  facts.startedMs = undefined;
  facts.endedMs = undefined;
  if (isManualRetry(entry)) noteManualRetry(context);
  if (entry.prev === "active" && isFailedAttempt(context)) return retried(entry, context, undefined);
  return event("task.received", entry, context, facts.starts, { max_attempts: facts.maxAttempts });
}

function delayed(entry: StreamEntry, context: EntryContext): EventRecord | undefined {
  const { facts } = context;
  const untilMs = Number(entry.delay);
  const known = facts.etaMs;
  facts.startedMs = undefined;
  facts.etaMs = Number.isSafeInteger(untilMs) && untilMs > 0 ? untilMs : known;
  if (facts.starts > 0 && isFailedAttempt(context)) return retried(entry, context, facts.etaMs);
  // The entry after `added` repeats the content of task.sent.
  const isNew = facts.starts > 0 || known === undefined || Math.abs(known - untilMs) > 1;
  return isNew && facts.etaMs !== undefined
    ? event("task.sent", entry, context, facts.starts, { eta: iso(facts.etaMs) })
    : undefined;
}

/**
 * Distinguishes a failed attempt from the other ways out of `active`. The hash's count of attempts decides; without a hash, a job with
 * attempts left counts as failed.
 */
function isFailedAttempt({ facts, hash }: EntryContext): boolean {
  if (hash?.ats === undefined) return facts.maxAttempts !== undefined && facts.starts < facts.maxAttempts;
  const hasFailed = hash.failedReason !== undefined || hash.stacktrace !== undefined;
  return hasFailed && attemptsMadeBeforeEnd(hash) > Math.max(facts.attemptsMade, 0);
}

/** BullMQ counts the end of a job as an attempt, even a success; a hash read after the end is corrected for that. */
function attemptsMadeBeforeEnd(hash: JobHash): number {
  return Number(hash.atm ?? 0) - (hash.finishedOn === undefined ? 0 : 1);
}

/** A finished job was put back to waiting. */
export function isManualRetry(entry: StreamEntry): boolean {
  return entry.event === "waiting" && (entry.prev === "failed" || entry.prev === "completed");
}

/** A manual retry may reset the count of attempts. */
function noteManualRetry({ facts, hash }: EntryContext): void {
  if (hash?.ats !== undefined && attemptsMadeBeforeEnd(hash) < facts.attemptsMade) facts.attemptsMade = 0;
}

function retried(entry: StreamEntry, context: EntryContext, etaMs: number | undefined): EventRecord {
  const { facts } = context;
  const failure = failureOf(context.hash, facts.attemptsMade);
  if (facts.attemptsMade >= 0) facts.attemptsMade += 1;
  const attempt = Math.max(facts.starts - 1, 0);
  return event("task.retried", entry, context, attempt, {
    worker: facts.worker,
    ...failure,
    retry_count: attempt + 1,
    eta: etaMs === undefined ? undefined : iso(etaMs),
  });
}

function started(entry: StreamEntry, context: EntryContext): EventRecord {
  const { facts, hash, inputs } = context;
  const next = facts.starts + 1;
  facts.starts = entry.ms <= facts.readAtMs ? Math.min(next, Math.max(facts.startsWhenRead, 1)) : next;
  facts.startedMs = entry.ms;
  facts.worker = hash?.pb ?? undefined;
  facts.endedMs = undefined;
  const waitMs =
    facts.waitingSinceMs === undefined
      ? firstWaitMs(inputs, facts.starts, entry.ms)
      : Math.max(entry.ms - facts.waitingSinceMs, 0);
  facts.waitingSinceMs = undefined;
  return event("task.started", entry, context, facts.starts - 1, { worker: facts.worker, wait_ms: waitMs });
}

/**
 * How long a job waited from its due time to its first start, from its hash alone. Undefined for a later start, and for a job that
 * started before it was due.
 */
export function firstWaitMs(inputs: JobInputs | undefined, starts: number, startedMs: number): number | undefined {
  if (inputs?.createdMs === undefined || starts !== 1) return undefined;
  const waitMs = startedMs - inputs.createdMs - inputs.delayMs;
  return waitMs >= 0 ? waitMs : undefined;
}

type Data = Readonly<Record<string, unknown>>;

function ended(kind: string, entry: StreamEntry, context: EntryContext, outcome: Data): EventRecord {
  const { facts, hash } = context;
  if (facts.attemptsMade >= 0) facts.attemptsMade += 1;
  facts.endedMs = entry.ms;
  const startedMs = facts.startedMs ?? (hash?.processedOn === undefined ? undefined : Number(hash.processedOn));
  return event(kind, entry, context, Math.max(facts.starts - 1, 0), {
    worker: facts.worker ?? hash?.pb,
    runtime_ms: startedMs === undefined ? undefined : Math.max(entry.ms - startedMs, 0),
    ...outcome,
  });
}

/** Removing a finished job is clean-up; removing an unfinished one revokes it. */
function removed(entry: StreamEntry, context: EntryContext): EventRecord | undefined {
  const { facts } = context;
  if (entry.prev === "completed" || entry.prev === "failed" || facts.endedMs !== undefined) return undefined;
  facts.endedMs = entry.ms;
  const attempt = entry.prev === "active" ? Math.max(facts.starts - 1, 0) : facts.starts;
  return event("task.revoked", entry, context, attempt, {});
}

/** @param entry the source of the event's id: a stream entry, or a time that the engine stored. */
export function event(
  kind: string,
  entry: Pick<StreamEntry, "id" | "ms">,
  context: Omit<EntryContext, "hash">,
  attempt: number,
  more: Data,
): EventRecord {
  const { engine, names, taskId } = context;
  return {
    id: sidecarEventId({ engine, source: names.source, nativeId: entry.id, taskId, kind }),
    kind,
    engine,
    task_id: taskId,
    occurred_at: iso(entry.ms),
    data: eventData(context, attempt, more),
  };
}

/** Every event has name, queue and attempt; only the first one has inputs and relations. JSON omits undefined values. */
function eventData(
  { names, facts, inputs }: Omit<EntryContext, "hash">,
  attempt: number,
  more: Data,
): Record<string, unknown> {
  const data: Record<string, unknown> = { task_name: facts.name, queue: names.label, attempt };
  if (inputs) {
    data.args = inputs.args;
    if (inputs.kwargs) data.kwargs = inputs.kwargs;
    data.priority = inputs.priority;
    data.max_attempts = inputs.maxAttempts;
    if (inputs.delayMs > 0 && inputs.createdMs !== undefined && facts.starts === 0)
      data.eta = iso(inputs.createdMs + inputs.delayMs);
    if (facts.parentTaskId) data.parent_task_id = facts.parentTaskId;
    if (facts.rootTaskId) data.root_task_id = facts.rootTaskId;
    if (facts.retriedFrom) data.retried_from = facts.retriedFrom;
    if (facts.traceparent) data.traceparent = facts.traceparent;
  }
  for (const key in more) if (more[key] !== undefined) data[key] = more[key];
  if (data.task_name === undefined) delete data.task_name;
  return data;
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}
