import type { DatabaseSync } from "node:sqlite";
import type { EventStore } from "../../events/index.ts";
import type { DeltaStore, Deltas } from "../../stats/index.ts";
import type {
  EventHead,
  FoldedTask,
  LinkStore,
  MergedTask,
  StoredTask,
  TaskEvent,
  TaskStore,
  TermStore,
} from "../../tasks/index.ts";
import type { WorkerStateChange, WorkerStateStore } from "../../workers/index.ts";
import type { FamilyField } from "../prepare-batch.ts";
import type { GroupColumns, GroupResult } from "./columns.ts";

/**
 * What the job needs of other features. It is handed in by the thread's entry, which takes the files themselves: through the doors the
 * thread would load every route of the brain.
 */
export interface WriterParts {
  openEvents(db: DatabaseSync): EventStore;
  openTasks(db: DatabaseSync): TaskStore;
  openLinks(db: DatabaseSync): LinkStore;
  openTerms(db: DatabaseSync): TermStore;
  openDeltas(db: DatabaseSync): DeltaStore;
  openWorkerStates(db: DatabaseSync): WorkerStateStore;
  createDeltas(): Deltas;
  decidingChanges(changes: readonly WorkerStateChange[]): WorkerStateChange[];
  /** An event as the fold reads it, from its stored payload without the given members. */
  taskEventOf(head: EventHead, payload: string, withheld: readonly FamilyField[]): TaskEvent;
  rowOfEvents(events: readonly TaskEvent[]): FoldedTask;
  storedTask(id: string, row: FoldedTask): StoredTask;
  readonly fields: {
    name(task: StoredTask): string;
    queue(task: StoredTask): string | null;
    worker(task: StoredTask): string | null;
    state(task: StoredTask): string;
  };
}

/** Stores one group in the transaction of the call: see spec part 3, section 2.4. */
export const ingestJob =
  (parts: WriterParts) =>
  (db: DatabaseSync): ((columns: GroupColumns) => GroupResult) => {
    const stores = {
      events: parts.openEvents(db),
      tasks: parts.openTasks(db),
      links: parts.openLinks(db),
      terms: parts.openTerms(db),
      deltas: parts.openDeltas(db),
      workerStates: parts.openWorkerStates(db),
    };
    return (columns) => storeGroup(parts, stores, columns);
  };

interface Stores {
  readonly events: EventStore;
  readonly tasks: TaskStore;
  readonly links: LinkStore;
  readonly terms: TermStore;
  readonly deltas: DeltaStore;
  readonly workerStates: WorkerStateStore;
}

function storeGroup(parts: WriterParts, stores: Stores, columns: GroupColumns): GroupResult {
  stores.terms.begin();
  const inserted = insertEvents(stores, columns);
  const deltas = parts.createDeltas();
  const { merged, ...moves } = mergeTasks(parts, stores, { columns, inserted, deltas });
  joinLinks(stores, columns, inserted);
  countEvents(parts, { columns, inserted, deltas, merged });
  const workers = applyStates(parts, stores, columns, inserted);
  stores.deltas.append(deltas.rows());
  return { inserted, ...moves, workers };
}

const taskIdOf = (columns: GroupColumns, index: number): string => {
  const task = columns.task[index] as number;
  if (task >= 0) return (columns.tasks[task] as StoredTask)[3] as string;
  return columns.words[columns.looseTask[index] as number] as string;
};

function insertEvents({ events }: Stores, columns: GroupColumns): Uint8Array {
  const { words, ids, payloads, at, project, agent, engine, kind } = columns;
  const inserted = new Uint8Array(ids.length);
  for (let index = 0; index < ids.length; index += 1) {
    const isNew = events.insert(
      ids[index] as string,
      words[project[index] as number] as string,
      words[agent[index] as number] as string,
      words[engine[index] as number] as string,
      taskIdOf(columns, index),
      words[kind[index] as number] as string,
      at[index] as number,
      payloads[index] as string,
    );
    if (isNew) inserted[index] = 1;
  }
  return inserted;
}

function headOf(columns: GroupColumns, index: number): EventHead {
  const { words } = columns;
  return {
    id: columns.ids[index] as string,
    projectId: words[columns.project[index] as number] as string,
    agentId: words[columns.agent[index] as number] as string,
    engine: words[columns.engine[index] as number] as string,
    taskId: taskIdOf(columns, index),
    kind: words[columns.kind[index] as number] as string,
    at: columns.at[index] as number,
  };
}

/** The row that the task's new events make; null when all of them are known. */
function newRow(parts: WriterParts, columns: GroupColumns, inserted: Uint8Array, task: number): StoredTask | null {
  const indexes = columns.taskEvents[task] as readonly number[];
  const given = columns.tasks[task] as StoredTask;
  if (indexes.every((index) => inserted[index] === 1)) return given;
  const news = indexes.filter((index) => inserted[index] === 1);
  if (news.length === 0) return null;
  const withheld = new Map(columns.withheld);
  const events = news.map((index) =>
    parts.taskEventOf(headOf(columns, index), columns.payloads[index] as string, withheld.get(index) ?? []),
  );
  return parts.storedTask(given[0] as string, parts.rowOfEvents(events));
}

interface Merging {
  readonly columns: GroupColumns;
  readonly inserted: Uint8Array;
  readonly deltas: Deltas;
}

function mergeTasks(parts: WriterParts, { tasks, terms }: Stores, { columns, inserted, deltas }: Merging) {
  const { fields } = parts;
  const nowMicros = columns.nowMs * 1000;
  const count = columns.tasks.length;
  const states: string[] = [];
  const before = new Int8Array(count).fill(-1);
  const after = new Int8Array(count).fill(-1);
  const names: [number, string][] = [];
  const merged = new Array<StoredTask | null>(count).fill(null);
  const stateIndex = (state: string): number => {
    const known = states.indexOf(state);
    return known >= 0 ? known : states.push(state) - 1;
  };
  for (let task = 0; task < count; task += 1) {
    const row = newRow(parts, columns, inserted, task);
    if (row === null) continue;
    const merge = tasks.merge(row, nowMicros);
    merged[task] = merge.after;
    noteTerms(parts, terms, merge);
    const projectId = row[1] as string;
    const name = fields.name(merge.after);
    if (name !== fields.name(columns.tasks[task] as StoredTask)) names.push([task, name]);
    const stateAfter = fields.state(merge.after);
    after[task] = stateIndex(stateAfter);
    if (merge.before !== null) {
      const stateBefore = fields.state(merge.before);
      before[task] = stateIndex(stateBefore);
      if (stateBefore === stateAfter) continue;
      deltas.countState(projectId, stateBefore, -1);
    }
    deltas.countState(projectId, stateAfter, 1);
  }
  return { merged, before, after, names, states };
}

function noteTerms({ fields }: WriterParts, terms: TermStore, { before, after }: MergedTask): void {
  const projectId = after[1] as string;
  const name = fields.name(after);
  if (before === null || fields.name(before) !== name) terms.add(projectId, "name", name);
  const queue = fields.queue(after);
  if (queue !== null && (before === null || fields.queue(before) !== queue)) terms.add(projectId, "queue", queue);
  const worker = fields.worker(after);
  if (worker !== null && (before === null || fields.worker(before) !== worker)) terms.add(projectId, "worker", worker);
}

function joinLinks({ links }: Stores, columns: GroupColumns, inserted: Uint8Array): void {
  for (const [index, oldId] of columns.retries) {
    if (inserted[index] === 0) continue;
    const { projectId, engine, taskId, at } = headOf(columns, index);
    links.join({ projectId, engine, newId: taskId, oldId, at });
  }
}

function countEvents(
  { fields }: WriterParts,
  { columns, inserted, deltas, merged }: Merging & { readonly merged: readonly (StoredTask | null)[] },
): void {
  const { words, project, engine, kind, name, queue, worker, runMs, waitMs, at } = columns;
  for (let index = 0; index < inserted.length; index += 1) {
    if (inserted[index] === 0) continue;
    const task = columns.task[index] as number;
    const row = task < 0 ? null : (merged[task] as StoredTask);
    const run = runMs[index] as number;
    const wait = waitMs[index] as number;
    deltas.countEvent({
      projectId: words[project[index] as number] as string,
      engine: words[engine[index] as number] as string,
      name: words[name[index] as number] ?? (row === null ? "" : fields.name(row)),
      queue: words[queue[index] as number] ?? (row === null ? "" : (fields.queue(row) ?? "")),
      worker: words[worker[index] as number] ?? "",
      kind: words[kind[index] as number] as string,
      at: at[index] as number,
      runMs: run < 0 ? null : run,
      waitMs: wait < 0 ? null : wait,
    });
  }
}

function applyStates(parts: WriterParts, { workerStates }: Stores, columns: GroupColumns, inserted: Uint8Array) {
  const changes: WorkerStateChange[] = [];
  for (const [index, name] of columns.ownWorkers) {
    if (inserted[index] === 0) continue;
    const { kind, projectId, engine, at, id } = headOf(columns, index);
    if (kind !== "worker.online" && kind !== "worker.offline") continue;
    const state = kind === "worker.online" ? "online" : "offline";
    changes.push({ projectId, engine, name, state, at, eventId: id });
  }
  const workers: { projectId: string; id: string }[] = [];
  for (const change of parts.decidingChanges(changes)) {
    const id = workerStates.apply(change, columns.nowMs * 1000);
    if (id !== null) workers.push({ projectId: change.projectId, id });
  }
  return workers;
}
