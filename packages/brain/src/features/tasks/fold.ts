import { type CarriedFields, stateOfKind, type TaskKind } from "@svc/protocol";
import {
  attemptOfKey,
  carriedNames,
  eventKey,
  type FoldKeys,
  failedSlot,
  isTerminalKind,
  noKey,
  slotCount,
  startedSlot,
  winnerSlot,
} from "./fold-keys.ts";

/**
 * The projection of task events onto a task row (spec part 3, section 2.5), as a pure function. A row is the join of its events: each
 * field comes from the event with the greatest key that has something to say about it, so order, repetition and grouping of the
 * events do not matter. Instants are milliseconds and JSON values are text here; the stores turn them into what their database holds.
 */
export interface FoldedTask {
  readonly project_id: string;
  readonly engine: string;
  readonly task_id: string;
  state: string;
  attempt: number;
  result: string | null;
  exception: string | null;
  traceback: string | null;
  runtime_ms: number | null;
  finished_at: number | null;
  reported_by: string;
  /** Of the newest start; shown only while it belongs to the winner's attempt. */
  started_at: number | null;
  wait_ms: number | null;
  fingerprint: string | null;
  last_failed_at: number | null;
  received_at: number;
  last_event_at: number;
  retry_count: number;
  name: string;
  queue: string | null;
  priority: string;
  args: string;
  kwargs: string;
  eta: number | null;
  parent_task_id: string | null;
  root_task_id: string | null;
  tags: string;
  release: string | null;
  traceparent: string | null;
  max_attempts: number | null;
  worker_name: string | null;
  keys: FoldKeys;
}

/** A stored event of a task, as the projection reads it. */
export interface TaskEvent {
  /** Lower case. */
  readonly id: string;
  readonly project_id: string;
  readonly agent_id: string;
  readonly engine: string;
  readonly task_id: string;
  readonly kind: TaskKind;
  /** occurred_at in milliseconds. */
  readonly at: number;
  readonly fields: CarriedFields;
  /** Of a task.failed event (section 10.2). */
  readonly fingerprint: string | null;
}

export const unnamed = "unknown";

const jsonText = (value: unknown): string => JSON.stringify(value);

/** The row that one event alone makes. */
export function rowOfEvent(event: TaskEvent): FoldedTask {
  const { fields, kind, at } = event;
  const attempt = fields.attempt ?? 0;
  const key = eventKey({ attempt, kind, at, id: event.id });
  const keyIf = (isCarried: boolean) => (isCarried ? key : noKey);
  const isStarted = kind === "task.started";
  const isFailed = kind === "task.failed";
  const repeats = Math.max(attempt, fields.retry_count ?? 0, kind === "task.retried" ? attempt + 1 : 0);
  return {
    project_id: event.project_id,
    engine: event.engine,
    task_id: event.task_id,
    state: stateOfKind[kind],
    attempt,
    result: fields.result === undefined ? null : jsonText(fields.result),
    exception: fields.exception ?? null,
    traceback: fields.traceback ?? null,
    runtime_ms: fields.runtime_ms ?? null,
    finished_at: isTerminalKind(kind) ? at : null,
    reported_by: event.agent_id,
    started_at: isStarted ? at : null,
    wait_ms: isStarted ? (fields.wait_ms ?? null) : null,
    fingerprint: isFailed ? event.fingerprint : null,
    last_failed_at: isFailed ? at : null,
    received_at: at,
    last_event_at: at,
    retry_count: repeats,
    name: fields.task_name ?? unnamed,
    queue: fields.queue ?? null,
    priority: fields.priority ?? "normal",
    args: fields.args === undefined ? "[]" : jsonText(fields.args),
    kwargs: fields.kwargs === undefined ? "{}" : jsonText(fields.kwargs),
    eta: fields.eta ?? null,
    parent_task_id: fields.parent_task_id ?? null,
    root_task_id: fields.root_task_id ?? null,
    tags: fields.tags === undefined ? "[]" : jsonText(fields.tags),
    release: fields.release ?? null,
    traceparent: fields.traceparent ?? null,
    max_attempts: fields.max_attempts ?? null,
    worker_name: fields.worker ?? null,
    keys: [
      key,
      keyIf(fields.task_name !== undefined),
      keyIf(fields.queue !== undefined),
      keyIf(fields.priority !== undefined),
      keyIf(fields.args !== undefined),
      keyIf(fields.kwargs !== undefined),
      keyIf(fields.eta !== undefined),
      keyIf(fields.parent_task_id !== undefined),
      keyIf(fields.root_task_id !== undefined),
      keyIf(fields.tags !== undefined),
      keyIf(fields.release !== undefined),
      keyIf(fields.traceparent !== undefined),
      keyIf(fields.max_attempts !== undefined),
      keyIf(fields.worker !== undefined),
      keyIf(isStarted),
      keyIf(isFailed),
    ],
  };
}

/** Joins `other` into `row`, which is changed. Both are rows of the same task. */
export function absorb(row: FoldedTask, other: FoldedTask): void {
  const { keys } = row;
  const theirs = other.keys;
  const isNewWinner = isGreater(theirs, keys, winnerSlot);
  if (isNewWinner) {
    row.state = other.state;
    row.attempt = other.attempt;
    row.result = other.result;
    row.exception = other.exception;
    row.traceback = other.traceback;
    row.runtime_ms = other.runtime_ms;
    row.finished_at = other.finished_at;
    row.reported_by = other.reported_by;
  }
  if (isGreater(theirs, keys, startedSlot)) {
    row.started_at = other.started_at;
    row.wait_ms = other.wait_ms;
  }
  if (isGreater(theirs, keys, failedSlot)) {
    row.fingerprint = other.fingerprint;
    row.last_failed_at = other.last_failed_at;
  }
  for (let slot = 1; slot < startedSlot; slot += 1) {
    if (isGreater(theirs, keys, slot)) takeCarried(row, other, slot);
  }
  for (let slot = 0; slot < slotCount; slot += 1) {
    if (isGreater(theirs, keys, slot)) keys[slot] = theirs[slot] as string;
  }
  if (other.received_at < row.received_at) row.received_at = other.received_at;
  if (other.last_event_at > row.last_event_at) row.last_event_at = other.last_event_at;
  if (other.retry_count > row.retry_count) row.retry_count = other.retry_count;
  hideEarlierStart(row);
}

const isGreater = (theirs: FoldKeys, ours: FoldKeys, slot: number): boolean =>
  (theirs[slot] as string) > (ours[slot] as string);

function takeCarried(row: FoldedTask, other: FoldedTask, slot: number): void {
  const field = carriedNames[slot - 1] as (typeof carriedNames)[number];
  (row as unknown as Record<string, unknown>)[field] = other[field];
}

/** A start of an earlier attempt than the winner's never shows again: a later winner has at least the present attempt. */
function hideEarlierStart(row: FoldedTask): void {
  const started = row.keys[startedSlot] as string;
  if (started === noKey || (row.started_at === null && row.wait_ms === null)) return;
  if (attemptOfKey(started) === row.attempt) return;
  row.started_at = null;
  row.wait_ms = null;
}

/** The join of two rows of one task; neither is changed. */
export function mergeRows(a: FoldedTask, b: FoldedTask): FoldedTask {
  const merged = { ...a, keys: [...a.keys] };
  absorb(merged, b);
  return merged;
}

/** The row after further events of its task; null in, null out without events. */
export function foldEvents(row: FoldedTask | null, events: Iterable<TaskEvent>): FoldedTask | null {
  let folded = row === null ? null : { ...row, keys: [...row.keys] };
  for (const event of events) {
    const single = rowOfEvent(event);
    if (folded === null) folded = single;
    else absorb(folded, single);
  }
  return folded;
}
