import { type FoldedTask, rowOfEvents, type TaskEvent } from "../../tasks/thread.ts";
import type { PreparedEvent } from "../prepare-batch.ts";

/** An event as the plan reads it. */
export interface PlannedEvent {
  readonly id: string;
  /** Head and carried values. */
  readonly task: Pick<
    TaskEvent,
    "projectId" | "engine" | "taskId" | "kind" | "at" | "name" | "queue" | "worker_name" | "runtime_ms" | "wait_ms"
  >;
  /** The task that this one retries. */
  readonly retriedFrom: string | null;
  /** The worker that is the subject of a worker event. */
  readonly ownWorker: string | null;
}

/** What one transaction stores: distinct events in key order, and their tasks in lock order. */
export interface EventGroup<Event extends PlannedEvent = PlannedEvent> {
  readonly events: readonly Event[];
  readonly tasks: readonly GroupTask[];
  /** The row that results from the events at these indexes. */
  rowOf(indexes: readonly number[]): FoldedTask;
}

export interface GroupTask {
  /** The row that results from its events, as if all of them were new. */
  readonly row: FoldedTask;
  /** Indexes into the group's events. */
  readonly events: readonly number[];
}

/** Groups events of any number of frames. Of several copies of an event, whatever their content, the group holds the first. */
export function groupEvents(given: readonly PreparedEvent[]): EventGroup<PreparedEvent> {
  const events = withoutRepetition([...given].sort(byEventKey));
  const indexes = new Map<string, Map<string, number[]>>();
  let scope = new Map<string, number[]>();
  let scopeOf: TaskEvent | null = null;
  // By index here and where groups are read: an iterator of entries allocates an array per event.
  for (let index = 0; index < events.length; index += 1) {
    const { task } = events[index] as PreparedEvent;
    if (task.key === "") continue;
    if (scopeOf === null || scopeOf.projectId !== task.projectId || scopeOf.engine !== task.engine) {
      const key = task.projectId + task.engine;
      scope = indexes.get(key) ?? new Map<string, number[]>();
      indexes.set(key, scope);
      scopeOf = task;
    }
    const known = scope.get(task.taskId);
    if (known === undefined) scope.set(task.taskId, [index]);
    else known.push(index);
  }
  const rowOf = (own: readonly number[]) => rowOfEvents(own.map((index) => (events[index] as PreparedEvent).task));
  const tasks: GroupTask[] = [];
  for (const ofScope of indexes.values()) {
    for (const own of ofScope.values()) tasks.push({ row: rowOf(own), events: own });
  }
  return { events, tasks: tasks.sort(byTaskKey), rowOf };
}

/** Removes, in place, each event with the same key as the one before it. */
function withoutRepetition(sorted: PreparedEvent[]): PreparedEvent[] {
  let kept = 0;
  for (let index = 0; index < sorted.length; index += 1) {
    const event = sorted[index] as PreparedEvent;
    if (kept > 0 && byEventKey(sorted[kept - 1] as PreparedEvent, event) === 0) continue;
    sorted[kept] = event;
    kept += 1;
  }
  sorted.length = kept;
  return sorted;
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Order of event keys. */
const byEventKey = ({ id, task }: PreparedEvent, { id: otherId, task: other }: PreparedEvent): number =>
  (task.projectId === other.projectId ? 0 : compareTexts(task.projectId, other.projectId)) ||
  task.at - other.at ||
  compareTexts(id, otherId);

/**
 * The order in which every writer locks task rows. The databases compare by code point, which differs only for astral characters; with those
 * two writers may deadlock, and one of them restarts.
 */
const byTaskKey = ({ row: a }: GroupTask, { row: b }: GroupTask): number =>
  (a.project_id === b.project_id ? 0 : compareTexts(a.project_id, b.project_id)) ||
  (a.engine === b.engine ? 0 : compareTexts(a.engine, b.engine)) ||
  compareTexts(a.task_id, b.task_id);
