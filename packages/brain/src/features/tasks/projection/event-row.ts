import { type CarriedFields, isTaskKind } from "@svc/protocol";
import type { EventHead, TaskEvent } from "./fold.ts";
import { eventKey, noKey } from "./fold-keys.ts";

/** The farthest instants whose microseconds are safe integers, in the years 1684 and 2255; an instant beyond them counts as unreadable. */
const farthestMs = 9_007_199_254_740;

type Fingerprint = (exception: string | null, traceback: string | null) => string | null;

/**
 * A stored event as the fold reads it; `data` is its redacted payload and `fields` the values in it. JSON values become text here, so that
 * the parsed ones can be freed. The key of an event without a task is `noKey`.
 */
export function taskEventOf(
  { id, projectId, agentId, engine, taskId, kind, at }: EventHead,
  fields: CarriedFields,
  data: Readonly<Record<string, unknown>>,
  fingerprintOf: Fingerprint,
): TaskEvent {
  const attempt = fields.attempt ?? 0;
  const isTask = isTaskKind(kind);
  return {
    key: taskId !== "" && isTask ? eventKey({ attempt, kind, at, id }) : noKey,
    projectId,
    agentId,
    engine,
    taskId,
    kind,
    at,
    attempt,
    retry_count: fields.retry_count ?? null,
    name: fields.task_name ?? null,
    queue: fields.queue ?? null,
    priority: fields.priority ?? null,
    args: textOf(fields.args),
    kwargs: textOf(fields.kwargs),
    eta: fields.eta === undefined || Math.abs(fields.eta) > farthestMs ? null : fields.eta,
    parent_task_id: fields.parent_task_id ?? null,
    root_task_id: fields.root_task_id ?? null,
    tags: textOf(fields.tags),
    release: fields.release ?? null,
    traceparent: fields.traceparent ?? null,
    max_attempts: fields.max_attempts ?? null,
    // The worker of a worker event is its subject, not one that ran a task.
    worker_name: isTask ? (fields.worker ?? null) : null,
    result: textOf(fields.result),
    exception: fields.exception ?? null,
    traceback: fields.traceback ?? null,
    runtime_ms: fields.runtime_ms ?? null,
    wait_ms: fields.wait_ms ?? null,
    fingerprint: kind === "task.failed" ? fingerprintOf(stringOf(data.exception), stringOf(data.traceback)) : null,
  };
}

const textOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
const stringOf = (value: unknown): string | null => (typeof value === "string" ? value : null);
