import { createDeltas, type DeltaRow } from "../../stats/thread.ts";
import { type FoldedTask, mergeRows, type TaskChange, type TaskLink } from "../../tasks/thread.ts";
import { decidingChanges, type WorkerStateChange } from "../../workers/thread.ts";
import type { EventGroup, GroupTask, PlannedEvent } from "./event-group.ts";
import { newestTouches, type Touches } from "./touches.ts";

/** What the database knows of a group. */
export interface Known<Present extends FoldedTask> {
  /** For each event whether it was inserted now. */
  readonly isNew: readonly boolean[];
  /** For each task the row that its new events make, by `newRows`. */
  readonly news: readonly (FoldedTask | null)[];
  /** For each task the row that was there before. */
  readonly present: readonly (Present | null)[];
}

export interface PlannedRow<Present extends FoldedTask> extends TaskChange<Present | null> {
  /** Index into the group's tasks. */
  readonly task: number;
}

/** Everything that a group changes beside the events themselves. */
export interface BatchPlan<Present extends FoldedTask = FoldedTask> {
  readonly rows: readonly PlannedRow<Present>[];
  readonly links: readonly TaskLink[];
  readonly deltas: readonly DeltaRow[];
  readonly workerStates: readonly WorkerStateChange[];
  readonly touches: Touches;
}

/** The row that the new events of each task make; null when all of them are known. */
export const newRows = ({ tasks, rowOf }: EventGroup, isNew: readonly boolean[]): (FoldedTask | null)[] =>
  tasks.map(({ row, events }) => {
    if (events.every((index) => isNew[index])) return row;
    const news = events.filter((index) => isNew[index]);
    return news.length === 0 ? null : rowOf(news);
  });

/** What a batch of events changes in tasks, links, counters and workers, for either database: computes, and does no I/O. */
export function planBatch<Present extends FoldedTask>(
  { events, tasks }: EventGroup,
  { isNew, news, present }: Known<Present>,
): BatchPlan<Present> {
  const stored = events.filter((_, index) => isNew[index]);
  const rows: PlannedRow<Present>[] = [];
  const deltas = createDeltas();
  const rowOfEvent = new Array<FoldedTask | null>(events.length).fill(null);
  for (let task = 0; task < tasks.length; task += 1) {
    const row = news[task] as FoldedTask | null;
    if (row === null) continue;
    const before = present[task] as Present | null;
    const after = before === null ? row : mergeRows(before, row);
    rows.push({ task, before, after });
    for (const index of (tasks[task] as GroupTask).events) rowOfEvent[index] = after;
    if (before?.state === after.state) continue;
    if (before !== null) deltas.countState(after.project_id, before.state, -1);
    deltas.countState(after.project_id, after.state, 1);
  }
  for (let index = 0; index < events.length; index += 1) {
    if (!isNew[index]) continue;
    const { projectId, engine, kind, at, name, queue, worker_name, runtime_ms, wait_ms } = (
      events[index] as PlannedEvent
    ).task;
    const row = rowOfEvent[index] as FoldedTask | null;
    deltas.countEvent({
      projectId,
      engine,
      kind,
      at,
      name: name ?? row?.name ?? "",
      queue: queue ?? row?.queue ?? "",
      worker: worker_name ?? "",
      runMs: runtime_ms,
      waitMs: wait_ms,
    });
  }
  return {
    rows,
    links: linksOf(stored),
    deltas: deltas.rows(),
    workerStates: decidingChanges(stateChangesOf(stored)),
    touches: newestTouches(stored),
  };
}

function linksOf(stored: readonly PlannedEvent[]): TaskLink[] {
  const links: TaskLink[] = [];
  for (const { task, retriedFrom } of stored) {
    if (retriedFrom === null) continue;
    const { projectId, engine, taskId, at } = task;
    links.push({ projectId, engine, newId: taskId, oldId: retriedFrom, at });
  }
  return links;
}

const stateOfKind: Readonly<Record<string, WorkerStateChange["state"]>> = {
  "worker.online": "online",
  "worker.offline": "offline",
};

function stateChangesOf(stored: readonly PlannedEvent[]): WorkerStateChange[] {
  const changes: WorkerStateChange[] = [];
  for (const { id, task, ownWorker } of stored) {
    if (ownWorker === null) continue;
    const { projectId, engine, kind, at } = task;
    const state = stateOfKind[kind];
    if (state !== undefined) changes.push({ projectId, engine, name: ownWorker, state, at, eventId: id });
  }
  return changes;
}
