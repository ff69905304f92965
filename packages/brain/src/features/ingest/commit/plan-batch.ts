import { type CountedEvent, createDeltas, type DeltaRow } from "../../stats/thread.ts";
import { type FoldedTask, mergeRows, type TaskChange, type TaskLink } from "../../tasks/thread.ts";
import { decidingChanges, type WorkerStateChange } from "../../workers/thread.ts";
import type { EventGroup, GroupTask, PlannedEvent } from "./event-group.ts";
import { createTouches, type Touches } from "./touches.ts";

/** What the database contains of a group. */
export interface Known<Present extends FoldedTask> {
  /** Per event, whether it was inserted now. */
  readonly isNew: readonly boolean[];
  /** Per task, the row of its new events, from `newRows`. */
  readonly freshRows: readonly (FoldedTask | null)[];
  /** Per task, the row that existed before. */
  readonly present: readonly (Present | null)[];
}

export interface PlannedRow<Present extends FoldedTask> extends TaskChange<Present | null> {
  /** Index into the group's tasks. */
  readonly task: number;
}

/** Everything that a group changes besides the events themselves. */
export interface BatchPlan<Present extends FoldedTask = FoldedTask> {
  readonly rows: readonly PlannedRow<Present>[];
  readonly links: readonly TaskLink[];
  readonly deltas: readonly DeltaRow[];
  readonly workerStates: readonly WorkerStateChange[];
  readonly touches: Touches;
}

/** The row that results from the new events of each task; null when all of them are known. */
export const newRows = ({ tasks, rowOf }: EventGroup, isNew: readonly boolean[]): (FoldedTask | null)[] =>
  tasks.map(({ row, events }) => {
    if (events.every((index) => isNew[index])) return row;
    const added = events.filter((index) => isNew[index]);
    return added.length === 0 ? null : rowOf(added);
  });

/** The changes of a batch of events to tasks, links, counters and workers, for either database; does no I/O. */
export function planBatch<Present extends FoldedTask>(
  { events, tasks }: EventGroup,
  { isNew, freshRows, present }: Known<Present>,
): BatchPlan<Present> {
  const rows: PlannedRow<Present>[] = [];
  const links: TaskLink[] = [];
  const stateChanges: WorkerStateChange[] = [];
  const deltas = createDeltas();
  const touches = createTouches();
  // One pass over all events, by index: an iterator allocates an object per step until this code is compiled.
  const rowOfEvent = new Array<FoldedTask | null>(events.length).fill(null);
  for (let task = 0; task < tasks.length; task += 1) {
    const row = freshRows[task] as FoldedTask | null;
    if (row === null) continue;
    const before = present[task] as Present | null;
    const after = before === null ? row : mergeRows(before, row);
    rows.push({ task, before, after });
    const own = (tasks[task] as GroupTask).events;
    for (let place = 0; place < own.length; place += 1) rowOfEvent[own[place] as number] = after;
    if (before?.state === after.state) continue;
    if (before !== null) deltas.countState(after.project_id, before.state, -1);
    deltas.countState(after.project_id, after.state, 1);
  }
  for (let index = 0; index < events.length; index += 1) {
    if (!isNew[index]) continue;
    const event = events[index] as PlannedEvent;
    deltas.countEvent(countedEvent(event, rowOfEvent[index] as FoldedTask | null));
    touches.note(event);
    if (event.retriedFrom !== null) links.push(linkOf(event, event.retriedFrom));
    if (event.ownWorker === null) continue;
    const state = stateOfKind[event.task.kind];
    if (state !== undefined) stateChanges.push(stateChangeOf(event, event.ownWorker, state));
  }
  return {
    rows,
    links,
    deltas: deltas.rows(),
    workerStates: decidingChanges(stateChanges),
    touches: touches.newest,
  };
}

/** `row` is that of its task, null when it is not projected. */
const countedEvent = ({ task }: PlannedEvent, row: FoldedTask | null): CountedEvent => ({
  projectId: task.projectId,
  engine: task.engine,
  kind: task.kind,
  at: task.at,
  name: task.name ?? row?.name ?? "",
  queue: task.queue ?? row?.queue ?? "",
  worker: task.worker_name ?? "",
  runMs: task.runtime_ms,
  waitMs: task.wait_ms,
});

const linkOf = ({ task: { projectId, engine, taskId, at } }: PlannedEvent, oldId: string): TaskLink => ({
  projectId,
  engine,
  newId: taskId,
  oldId,
  at,
});

const stateOfKind: Readonly<Record<string, WorkerStateChange["state"]>> = {
  "worker.online": "online",
  "worker.offline": "offline",
};

const stateChangeOf = (
  { id, task: { projectId, engine, at } }: PlannedEvent,
  name: string,
  state: WorkerStateChange["state"],
): WorkerStateChange => ({ projectId, engine, name, state, at, eventId: id });
