import type { DatabaseSync } from "node:sqlite";
import type { EventStore } from "../events/index.ts";
import type { DeltaStore, Deltas } from "../stats/index.ts";
import type { EventHead, FoldedTask, LinkStore, MergedTask, StoredTask, TaskStore, TermStore } from "../tasks/index.ts";
import type { WorkerStateChange, WorkerStateStore } from "../workers/index.ts";
import type { GroupColumns, GroupResult } from "./columns.ts";
import type { FamilyMember } from "./prepare.ts";

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
  /** The row of one event from its stored payload, without the given members. */
  rowOfPayload(head: EventHead, payload: string, withheld: readonly FamilyMember[]): FoldedTask;
  absorb(row: FoldedTask, other: FoldedTask): void;
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
  (db: DatabaseSync): ((payload: GroupColumns) => GroupResult) => {
    const events = parts.openEvents(db);
    const tasks = parts.openTasks(db);
    const links = parts.openLinks(db);
    const terms = parts.openTerms(db);
    const deltaRows = parts.openDeltas(db);
    const workerStates = parts.openWorkerStates(db);
    const { fields } = parts;

    return function storeGroup(columns) {
      const { words, at } = columns;
      const count = columns.ids.length;
      const nowMicros = columns.nowMs * 1000;
      const inserted = new Uint8Array(count);
      const withheld = new Map(columns.withheld);
      const wordOf = (column: Int32Array, index: number): string => words[column[index] as number] as string;
      const wordOrNull = (column: Int32Array, index: number): string | null => words[column[index] as number] ?? null;

      const headOf = (index: number): EventHead => {
        const task = columns.task[index] as number;
        return {
          id: columns.ids[index] as string,
          projectId: wordOf(columns.project, index),
          agentId: wordOf(columns.agent, index),
          engine: wordOf(columns.engine, index),
          taskId: task < 0 ? wordOf(columns.looseTask, index) : ((columns.tasks[task] as StoredTask)[3] as string),
          kind: wordOf(columns.kind, index),
          at: at[index] as number,
        };
      };

      /** The row that the task's new events make; null when all of them are known. */
      function newRow(task: number): StoredTask | null {
        const indexes = columns.taskEvents[task] as readonly number[];
        const news = indexes.filter((index) => inserted[index] === 1);
        const given = columns.tasks[task] as StoredTask;
        if (news.length === indexes.length) return given;
        let row: FoldedTask | null = null;
        for (const index of news) {
          const single = parts.rowOfPayload(
            headOf(index),
            columns.payloads[index] as string,
            withheld.get(index) ?? [],
          );
          if (row === null) row = single;
          else parts.absorb(row, single);
        }
        return row === null ? null : parts.storedTask(given[0] as string, row);
      }

      function noteTerms({ before, after }: MergedTask): void {
        const projectId = after[1] as string;
        const name = fields.name(after);
        if (before === null || fields.name(before) !== name) terms.add(projectId, "name", name);
        const queue = fields.queue(after);
        if (queue !== null && (before === null || fields.queue(before) !== queue)) terms.add(projectId, "queue", queue);
        const worker = fields.worker(after);
        if (worker !== null && (before === null || fields.worker(before) !== worker)) {
          terms.add(projectId, "worker", worker);
        }
      }

      terms.begin();
      for (let index = 0; index < count; index += 1) {
        if (events.insert({ ...headOf(index), payload: columns.payloads[index] as string })) inserted[index] = 1;
      }

      const deltas = parts.createDeltas();
      const states: string[] = [];
      const stateIndex = (state: string): number => {
        const known = states.indexOf(state);
        return known >= 0 ? known : states.push(state) - 1;
      };
      const taskCount = columns.tasks.length;
      const before = new Int8Array(taskCount).fill(-1);
      const after = new Int8Array(taskCount).fill(-1);
      const merged: (StoredTask | null)[] = new Array(taskCount);
      for (let task = 0; task < taskCount; task += 1) {
        const row = newRow(task);
        merged[task] = null;
        if (row === null) continue;
        const merge = tasks.merge(row, nowMicros);
        merged[task] = merge.after;
        noteTerms(merge);
        const projectId = row[1] as string;
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

      for (const [index, oldId] of columns.retries) {
        if (inserted[index] === 0) continue;
        const { projectId, engine, taskId, at } = headOf(index);
        links.join({ projectId, engine, newId: taskId, oldId, at });
      }

      const changes: WorkerStateChange[] = [];
      for (let index = 0; index < count; index += 1) {
        if (inserted[index] === 0) continue;
        const task = columns.task[index] as number;
        const row = task < 0 ? null : (merged[task] as StoredTask);
        const kind = wordOf(columns.kind, index);
        const worker = wordOrNull(columns.worker, index);
        const runMs = columns.runMs[index] as number;
        const waitMs = columns.waitMs[index] as number;
        const projectId = wordOf(columns.project, index);
        const engine = wordOf(columns.engine, index);
        deltas.countEvent({
          projectId,
          engine,
          name: wordOrNull(columns.name, index) ?? (row === null ? "" : fields.name(row)),
          queue: wordOrNull(columns.queue, index) ?? (row === null ? "" : (fields.queue(row) ?? "")),
          worker: row === null ? "" : (worker ?? ""),
          kind,
          at: at[index] as number,
          runMs: runMs < 0 ? null : runMs,
          waitMs: waitMs < 0 ? null : waitMs,
        });
        if (worker !== null && (kind === "worker.online" || kind === "worker.offline")) {
          const state = kind === "worker.online" ? "online" : "offline";
          const eventId = columns.ids[index] as string;
          changes.push({ projectId, engine, name: worker, state, at: at[index] as number, eventId });
        }
      }
      const workers: { projectId: string; id: string }[] = [];
      for (const change of parts.decidingChanges(changes)) {
        const id = workerStates.apply(change, nowMicros);
        if (id !== null) workers.push({ projectId: change.projectId, id });
      }
      deltaRows.append(deltas.rows());
      return { inserted, before, after, states, workers };
    };
  };
