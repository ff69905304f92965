import { stateOfKind, type TaskKind, taskRowId } from "@svc/protocol";
import type { TaskRow } from "../../../schema/tables/index.ts";
import type { TaskColumn } from "../task-fields.ts";
import {
  attemptOfKey,
  carriedNames,
  decodeFold,
  type EventKey,
  encodeFold,
  isTerminalKind,
  noKey,
  startedIndex,
} from "./fold-keys.ts";
import { copierOf, readerOf } from "./row-code.ts";

/**
 * The projection of task events onto a task row, as a pure function. A row is the join of its events: each field comes from the event with
 * the greatest key that carries it, so order, repetition and grouping of the events do not matter. Instants are milliseconds and JSON
 * values are text here; the stores convert them for their database.
 */
export type FoldedTask = { -readonly [Column in TaskColumn]: Folded<TaskRow[Column]> };
type Folded<Value> = Value extends Date ? number : Value;

type CarriedColumn = (typeof carriedNames)[number];
type ReportedColumn =
  | CarriedColumn
  | "result"
  | "exception"
  | "traceback"
  | "retry_count"
  | "runtime_ms"
  | "wait_ms"
  | "fingerprint";
/** What an event carries for its task, by column; null when it does not. The fingerprint is that of a task.failed event. */
type Reported = { readonly [Column in ReportedColumn]: FoldedTask[Column] | null };

/** Position and time of an event; `at` is occurred_at in milliseconds. */
export interface EventHead {
  /** Lower case. */
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
  readonly engine: string;
  readonly taskId: string;
  readonly kind: string;
  readonly at: number;
}

/** A stored event of a task, as the projection reads it: JSON values are text. */
export interface TaskEvent extends Omit<EventHead, "id">, Reported {
  /** Made by `eventKey`. */
  readonly key: EventKey;
  /** 0 when not carried. */
  readonly attempt: number;
}

/** A row before and after a change. */
export interface TaskChange<Before extends FoldedTask | null = FoldedTask | null> {
  readonly before: Before;
  readonly after: FoldedTask;
}

export const unnamed = "unknown";

/** Columns that come from one event together, in the order of the keys. The fields of a start show only while it belongs to the winner's attempt. */
const columnsOfKeys: readonly (readonly TaskColumn[])[] = [
  ["state", "attempt", "result", "exception", "traceback", "runtime_ms", "finished_at", "reported_by"],
  ...carriedNames.map((column) => [column] as const),
  ["started_at", "wait_ms"],
  ["fingerprint", "last_failed_at"],
];

/** The row of one task's events; at least one event. */
export function rowOfEvents(events: readonly TaskEvent[]): FoldedTask {
  const ordered = events.length === 1 ? events : greatestFirst(events);
  const winner = ordered[0] as TaskEvent;
  const { projectId, engine, taskId, attempt } = winner;
  const kind = winner.kind as TaskKind;
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
  const row: FoldedTask = {
    id: taskRowId(projectId, engine, taskId),
    project_id: projectId,
    engine,
    task_id: taskId,
    state: stateOfKind[kind],
    attempt,
    result: winner.result,
    exception: winner.exception,
    traceback: winner.traceback,
    runtime_ms: winner.runtime_ms,
    finished_at: isTerminalKind(kind) ? winner.at : null,
    reported_by: winner.agentId,
    started_at: isCurrent ? (started?.at ?? null) : null,
    wait_ms: isCurrent ? (started?.wait_ms ?? null) : null,
    fingerprint: failed?.fingerprint ?? null,
    last_failed_at: failed?.at ?? null,
    received_at: receivedAt,
    last_event_at: lastAt,
    retry_count: retryCount,
    // The values when no event carries them.
    name: unnamed,
    queue: null,
    priority: "normal",
    args: "[]",
    kwargs: "{}",
    eta: null,
    parent_task_id: null,
    root_task_id: null,
    tags: "[]",
    release: null,
    traceparent: null,
    max_attempts: null,
    worker_name: null,
    fold: "",
  };
  const keys = [winner.key];
  for (const { of, copy } of carried) {
    const carrier = carrierOf(ordered, of);
    keys.push(keyOf(carrier));
    if (carrier !== null) copy(row, carrier);
  }
  keys.push(keyOf(started), keyOf(failed));
  row.fold = encodeFold(keys);
  return row;
}

const carried = carriedNames.map((column) => ({
  of: readerOf<TaskEvent, TaskEvent[typeof column]>(column),
  copy: copierOf<FoldedTask, TaskEvent>([column]),
}));

const byKeyDown = (a: TaskEvent, b: TaskEvent): number => (a.key < b.key ? 1 : a.key > b.key ? -1 : 0);

/** Up to this many are sorted by insertion: the library's sort allocates too much for a few events. */
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
function carrierOf(ordered: readonly TaskEvent[], of: (event: TaskEvent) => unknown): TaskEvent | null {
  for (const event of ordered) if (of(event) !== null) return event;
  return null;
}

const leastRetries = ({ kind, attempt, retry_count }: TaskEvent): number =>
  Math.max(attempt, retry_count ?? 0, kind === "task.retried" ? attempt + 1 : 0);

/** The join of two rows of one task; neither is changed. */
export function mergeRows(a: FoldedTask, b: FoldedTask): FoldedTask {
  const keys = decodeFold(a.fold);
  const theirs = decodeFold(b.fold);
  const merged = { ...a };
  for (let place = 0; place < keys.length; place += 1) {
    const key = theirs[place] as EventKey;
    if (key <= (keys[place] as EventKey)) continue;
    keys[place] = key;
    (copiers[place] as (typeof copiers)[number])(merged, b);
  }
  merged.fold = encodeFold(keys);
  if (b.received_at < a.received_at) merged.received_at = b.received_at;
  if (b.last_event_at > a.last_event_at) merged.last_event_at = b.last_event_at;
  if (b.retry_count > a.retry_count) merged.retry_count = b.retry_count;
  hideEarlierStart(merged, keys[startedIndex] as EventKey);
  return merged;
}

/** For each key, by its position: copies the columns that the key decides. */
const copiers = columnsOfKeys.map((columns) => copierOf<FoldedTask, FoldedTask>(columns));

/** A start of an earlier attempt than the winner's never shows again: a later winner has at least the current attempt. */
function hideEarlierStart(row: FoldedTask, started: EventKey): void {
  if (started === noKey || (row.started_at === null && row.wait_ms === null)) return;
  if (attemptOfKey(started) === row.attempt) return;
  row.started_at = null;
  row.wait_ms = null;
}

/** The row after further events of its task; null for null without events. */
export function foldEvents(row: FoldedTask | null, events: readonly TaskEvent[]): FoldedTask | null {
  if (events.length === 0) return row;
  const news = rowOfEvents(events);
  return row === null ? news : mergeRows(row, news);
}

/** Whether the change of a row affects searches or its place in the list. */
export const hasNewTexts = (before: FoldedTask, after: FoldedTask): boolean =>
  before.name !== after.name ||
  before.queue !== after.queue ||
  before.worker_name !== after.worker_name ||
  before.received_at !== after.received_at;
