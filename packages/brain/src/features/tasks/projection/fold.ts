import { stateOfKind, type TaskKind } from "@svc/protocol";
import {
  attemptOfKey,
  carriedNames,
  type EventKey,
  type FoldKeys,
  failedIndex,
  isTerminalKind,
  keyCount,
  noKey,
  startedIndex,
  winnerIndex,
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

/** A stored event of a task, as the projection reads it: what it does not carry is null, JSON values are text. */
export interface TaskEvent {
  /** Made by `eventKey`. */
  readonly key: EventKey;
  readonly projectId: string;
  readonly agentId: string;
  readonly engine: string;
  readonly taskId: string;
  /** A task kind. */
  readonly kind: string;
  /** occurred_at in milliseconds. */
  readonly at: number;
  /** 0 when not carried. */
  readonly attempt: number;
  readonly retryCount: number | null;
  readonly name: string | null;
  readonly queue: string | null;
  readonly priority: string | null;
  readonly args: string | null;
  readonly kwargs: string | null;
  readonly eta: number | null;
  readonly parentTaskId: string | null;
  readonly rootTaskId: string | null;
  readonly tags: string | null;
  readonly release: string | null;
  readonly traceparent: string | null;
  readonly maxAttempts: number | null;
  readonly worker: string | null;
  readonly result: string | null;
  readonly exception: string | null;
  readonly traceback: string | null;
  readonly runMs: number | null;
  readonly waitMs: number | null;
  /** Of a task.failed event (section 10.2). */
  readonly fingerprint: string | null;
}

export const unnamed = "unknown";

type CarriedMember =
  | "name"
  | "queue"
  | "priority"
  | "args"
  | "kwargs"
  | "eta"
  | "parentTaskId"
  | "rootTaskId"
  | "tags"
  | "release"
  | "traceparent"
  | "maxAttempts"
  | "worker";

/** The row that the events of one task make; at least one event. */
export function rowOfEvents(events: readonly TaskEvent[]): FoldedTask {
  const ordered = events.length === 1 ? events : greatestFirst(events);
  const winner = ordered[0] as TaskEvent;
  const { kind, attempt } = winner;
  let started: TaskEvent | null = null;
  let failed: TaskEvent | null = null;
  let receivedAt = winner.at;
  let lastAt = winner.at;
  let retryCount = 0;
  for (const event of ordered) {
    if (event.kind === "task.started") started ??= event;
    else if (event.kind === "task.failed") failed ??= event;
    if (event.at < receivedAt) receivedAt = event.at;
    if (event.at > lastAt) lastAt = event.at;
    retryCount = Math.max(retryCount, leastRetries(event));
  }
  const isCurrent = started !== null && started.attempt === attempt;
  const name = carrierOf(ordered, "name");
  const queue = carrierOf(ordered, "queue");
  const priority = carrierOf(ordered, "priority");
  const args = carrierOf(ordered, "args");
  const kwargs = carrierOf(ordered, "kwargs");
  const eta = carrierOf(ordered, "eta");
  const parent = carrierOf(ordered, "parentTaskId");
  const root = carrierOf(ordered, "rootTaskId");
  const tags = carrierOf(ordered, "tags");
  const release = carrierOf(ordered, "release");
  const trace = carrierOf(ordered, "traceparent");
  const maxAttempts = carrierOf(ordered, "maxAttempts");
  const worker = carrierOf(ordered, "worker");
  return {
    project_id: winner.projectId,
    engine: winner.engine,
    task_id: winner.taskId,
    state: stateOfKind[kind as TaskKind],
    attempt,
    result: winner.result,
    exception: winner.exception,
    traceback: winner.traceback,
    runtime_ms: winner.runMs,
    finished_at: isTerminalKind(kind as TaskKind) ? winner.at : null,
    reported_by: winner.agentId,
    started_at: isCurrent ? (started?.at ?? null) : null,
    wait_ms: isCurrent ? (started?.waitMs ?? null) : null,
    fingerprint: failed?.fingerprint ?? null,
    last_failed_at: failed?.at ?? null,
    received_at: receivedAt,
    last_event_at: lastAt,
    retry_count: retryCount,
    name: name?.name ?? unnamed,
    queue: queue?.queue ?? null,
    priority: priority?.priority ?? "normal",
    args: args?.args ?? "[]",
    kwargs: kwargs?.kwargs ?? "{}",
    eta: eta?.eta ?? null,
    parent_task_id: parent?.parentTaskId ?? null,
    root_task_id: root?.rootTaskId ?? null,
    tags: tags?.tags ?? "[]",
    release: release?.release ?? null,
    traceparent: trace?.traceparent ?? null,
    max_attempts: maxAttempts?.maxAttempts ?? null,
    worker_name: worker?.worker ?? null,
    keys: [
      winner.key,
      keyOf(name),
      keyOf(queue),
      keyOf(priority),
      keyOf(args),
      keyOf(kwargs),
      keyOf(eta),
      keyOf(parent),
      keyOf(root),
      keyOf(tags),
      keyOf(release),
      keyOf(trace),
      keyOf(maxAttempts),
      keyOf(worker),
      keyOf(started),
      keyOf(failed),
    ],
  };
}

const byKeyDown = (a: TaskEvent, b: TaskEvent): number => (a.key < b.key ? 1 : a.key > b.key ? -1 : 0);

/** Up to this many are put in order by insertion: the library's sort allocates more than a few events are worth. */
const fewEvents = 16;

function greatestFirst(events: readonly TaskEvent[]): TaskEvent[] {
  const ordered = [...events];
  if (ordered.length > fewEvents) return ordered.sort(byKeyDown);
  for (let next = 1; next < ordered.length; next += 1) {
    const event = ordered[next] as TaskEvent;
    let place = next;
    for (; place > 0 && (ordered[place - 1] as TaskEvent).key < event.key; place -= 1) {
      ordered[place] = ordered[place - 1] as TaskEvent;
    }
    ordered[place] = event;
  }
  return ordered;
}
const keyOf = (event: TaskEvent | null): EventKey => (event === null ? noKey : event.key);

/** The greatest event that carries a field. */
function carrierOf(ordered: readonly TaskEvent[], field: CarriedMember): TaskEvent | null {
  for (const event of ordered) if (event[field] !== null) return event;
  return null;
}

const leastRetries = ({ kind, attempt, retryCount }: TaskEvent): number =>
  Math.max(attempt, retryCount ?? 0, kind === "task.retried" ? attempt + 1 : 0);

/** Joins `other` into `row`, which is changed. Both are rows of the same task. */
export function absorb(row: FoldedTask, other: FoldedTask): void {
  const { keys } = row;
  const theirs = other.keys;
  const isNewWinner = isGreater(theirs, keys, winnerIndex);
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
  if (isGreater(theirs, keys, startedIndex)) {
    row.started_at = other.started_at;
    row.wait_ms = other.wait_ms;
  }
  if (isGreater(theirs, keys, failedIndex)) {
    row.fingerprint = other.fingerprint;
    row.last_failed_at = other.last_failed_at;
  }
  for (let place = 1; place < startedIndex; place += 1) {
    if (isGreater(theirs, keys, place)) takeCarried(row, other, place);
  }
  for (let place = 0; place < keyCount; place += 1) {
    if (isGreater(theirs, keys, place)) keys[place] = theirs[place] as string;
  }
  if (other.received_at < row.received_at) row.received_at = other.received_at;
  if (other.last_event_at > row.last_event_at) row.last_event_at = other.last_event_at;
  if (other.retry_count > row.retry_count) row.retry_count = other.retry_count;
  hideEarlierStart(row);
}

const isGreater = (theirs: FoldKeys, ours: FoldKeys, place: number): boolean =>
  (theirs[place] as string) > (ours[place] as string);

function takeCarried(row: FoldedTask, other: FoldedTask, place: number): void {
  const field = carriedNames[place - 1] as (typeof carriedNames)[number];
  (row as unknown as Record<string, unknown>)[field] = other[field];
}

/** A start of an earlier attempt than the winner's never shows again: a later winner has at least the present attempt. */
function hideEarlierStart(row: FoldedTask): void {
  const started = row.keys[startedIndex] as string;
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
export function foldEvents(row: FoldedTask | null, events: readonly TaskEvent[]): FoldedTask | null {
  if (events.length === 0) return row;
  const news = rowOfEvents(events);
  return row === null ? news : mergeRows(row, news);
}

/** Whether two rows of one task are found by different searches, or at another place in the list. */
export const hasNewTexts = (before: FoldedTask, after: FoldedTask): boolean =>
  before.name !== after.name ||
  before.queue !== after.queue ||
  before.worker_name !== after.worker_name ||
  before.received_at !== after.received_at;
