import { carriedFields, taskStates } from "@svc/protocol";
import { fingerprintOf } from "../../issues/thread.ts";
import { foldedTask, rowOfEvents, type StoredTask, storedTask, taskEventOf } from "../../tasks/thread.ts";
import type { FamilyField, PreparedEvent } from "../prepare-batch.ts";
import type { CommittedGroup } from "./commit.ts";
import type { EventGroup, GroupTask, PlannedEvent } from "./event-group.ts";
import type { BatchPlan } from "./plan-batch.ts";
import type { Touches } from "./touches.ts";

/** Texts of an event that repeat from one to the next. */
const repeated = {
  projectId: ({ task }) => task.projectId,
  agentId: ({ task }) => task.agentId,
  engine: ({ task }) => task.engine,
  kind: ({ task }) => task.kind,
  /** Of an event that is not projected; of the others that of their task. */
  looseTaskId: ({ task }) => (task.key === "" ? task.taskId : null),
  name: ({ task }) => task.name,
  queue: ({ task }) => task.queue,
  worker_name: ({ task }) => task.worker_name,
} satisfies Record<string, (event: PreparedEvent) => string | null>;
type RepeatedText = keyof typeof repeated;

/**
 * A group as it travels to the writer thread: columns of numbers and texts, because a thousand small objects cost more to copy than
 * all their content.
 */
export interface GroupMessage {
  /** Repeated texts, each once; the first one is none. */
  readonly words: readonly (string | null)[];
  /** Indexes into `words`. */
  readonly texts: Readonly<Record<RepeatedText, Int32Array>>;
  readonly ids: readonly string[];
  readonly payloads: readonly string[];
  /** occurred_at in milliseconds. */
  readonly at: Float64Array;
  /** Milliseconds, -1 for none; more than 25 days do not fit into 32 bits. */
  readonly runMs: Float64Array;
  readonly waitMs: Float64Array;
  readonly tasks: readonly StoredTask[];
  /** For each task the indexes of its events. */
  readonly taskEvents: readonly (readonly number[])[];
  /** By index, of the few events that have one. */
  readonly retriedFrom: ReadonlyMap<number, string>;
  readonly ownWorkers: ReadonlyMap<number, string>;
  readonly withheld: ReadonlyMap<number, readonly FamilyField[]>;
  readonly nowMs: number;
}

export function messageOf({ events, tasks }: EventGroup<PreparedEvent>, nowMs: number): GroupMessage {
  const words: (string | null)[] = [null];
  const known = new Map<string | null, number>([[null, 0]]);
  const wordsOf = (textOf: (event: PreparedEvent) => string | null): Int32Array => {
    const column = new Int32Array(events.length);
    let last: string | null = null;
    let index = 0;
    for (let row = 0; row < column.length; row += 1) {
      const text = textOf(events[row] as PreparedEvent);
      // Neighbours are often equal, and comparing two texts is cheaper than looking one up.
      if (text !== last) {
        last = text;
        index = known.get(text) ?? words.push(text) - 1;
        known.set(text, index);
      }
      column[row] = index;
    }
    return column;
  };
  const numbersOf = (of: (event: PreparedEvent) => number | null): Float64Array => {
    const column = new Float64Array(events.length);
    for (let row = 0; row < column.length; row += 1) column[row] = of(events[row] as PreparedEvent) ?? -1;
    return column;
  };
  // Pushed, because an array made by its length counts as one with holes, which is sent pair by pair.
  const ids: string[] = [];
  const payloads: string[] = [];
  for (const { id, payload } of events) {
    ids.push(id);
    payloads.push(payload);
  }
  return {
    words,
    texts: {
      projectId: wordsOf(repeated.projectId),
      agentId: wordsOf(repeated.agentId),
      engine: wordsOf(repeated.engine),
      kind: wordsOf(repeated.kind),
      looseTaskId: wordsOf(repeated.looseTaskId),
      name: wordsOf(repeated.name),
      queue: wordsOf(repeated.queue),
      worker_name: wordsOf(repeated.worker_name),
    },
    ids,
    payloads,
    at: numbersOf(({ task }) => task.at),
    runMs: numbersOf(({ task }) => task.runtime_ms),
    waitMs: numbersOf(({ task }) => task.wait_ms),
    tasks: tasks.map(({ row }) => storedTask(row)),
    taskEvents: tasks.map((task) => task.events),
    retriedFrom: present(events, ({ retriedFrom }) => retriedFrom),
    ownWorkers: present(events, ({ ownWorker }) => ownWorker),
    withheld: present(events, ({ withheld }) => withheld),
    nowMs,
  };
}

/** The values that are not null, by index. */
function present<Value>(events: readonly PreparedEvent[], of: (event: PreparedEvent) => Value | null) {
  const values = new Map<number, Value>();
  for (let index = 0; index < events.length; index += 1) {
    const value = of(events[index] as PreparedEvent);
    if (value !== null) values.set(index, value);
  }
  return values;
}

/** An event as the writer thread stores it. */
export interface StoredEvent extends PlannedEvent {
  readonly payload: string;
  readonly task: PlannedEvent["task"] & { readonly agentId: string };
}

/** The group of a message. */
export function groupOf(message: GroupMessage): EventGroup<StoredEvent> {
  const { words, texts, ids, payloads, at, runMs, waitMs, taskEvents, retriedFrom, ownWorkers, withheld } = message;
  const tasks = message.tasks.map((stored, index): GroupTask => {
    return { row: foldedTask(stored), events: taskEvents[index] as number[] };
  });
  const taskIds = new Array<string | null>(ids.length).fill(null);
  for (const { row, events } of tasks) for (const index of events) taskIds[index] = row.task_id;
  const textOf = (name: RepeatedText, index: number) => words[texts[name][index] as number] as string | null;
  const events = ids.map(
    (id, index): StoredEvent => ({
      id,
      payload: payloads[index] as string,
      task: {
        projectId: textOf("projectId", index) as string,
        agentId: textOf("agentId", index) as string,
        engine: textOf("engine", index) as string,
        taskId: taskIds[index] ?? (textOf("looseTaskId", index) as string),
        kind: textOf("kind", index) as string,
        at: at[index] as number,
        name: textOf("name", index),
        queue: textOf("queue", index),
        worker_name: textOf("worker_name", index),
        runtime_ms: durationOf(runMs[index] as number),
        wait_ms: durationOf(waitMs[index] as number),
      },
      retriedFrom: retriedFrom.get(index) ?? null,
      ownWorker: ownWorkers.get(index) ?? null,
    }),
  );
  /** Read from the payloads again: few groups hold a part of a task's events only that is new. */
  const rowOf = (indexes: readonly number[]) =>
    rowOfEvents(
      indexes.map((index) => {
        const { id, payload, task } = events[index] as StoredEvent;
        const data = JSON.parse(payload) as Record<string, unknown>;
        const fields = carriedFields(task.kind, data, task.taskId);
        for (const member of withheld.get(index) ?? []) delete fields[member];
        return taskEventOf({ ...task, id }, fields, data, fingerprintOf);
      }),
    );
  return { events, tasks, rowOf };
}

const durationOf = (ms: number): number | null => (ms < 0 ? null : ms);

/** What the writer thread answers. */
export interface GroupAnswer {
  /** Indexes of the events that were there. */
  readonly known: readonly number[];
  /** For each task its state before and after: indexes into `taskStates`, -1 for no row or no change. */
  readonly before: Int8Array;
  readonly after: Int8Array;
  /** Of the tasks whose row has another name than the one handed in, by index. */
  readonly names: ReadonlyMap<number, string>;
  readonly workers: CommittedGroup["workers"];
  readonly touches: Touches;
}

const codeOf = (state: string): number => (taskStates as readonly string[]).indexOf(state);

export function answerOf(
  { tasks }: EventGroup,
  { rows, touches }: BatchPlan,
  { isNew, workers }: { readonly isNew: readonly boolean[]; readonly workers: CommittedGroup["workers"] },
): GroupAnswer {
  const before = new Int8Array(tasks.length).fill(-1);
  const after = new Int8Array(tasks.length).fill(-1);
  const names = new Map<number, string>();
  for (const change of rows) {
    const { task } = change;
    if (change.before !== null) before[task] = codeOf(change.before.state);
    after[task] = codeOf(change.after.state);
    if (change.after.name !== tasks[task]?.row.name) names.set(task, change.after.name);
  }
  return {
    known: isNew.flatMap((isInserted, index) => (isInserted ? [] : [index])),
    before,
    after,
    names,
    workers,
    touches,
  };
}

/** What an answer says of the group that was sent. */
export function committedOf({ events, tasks }: EventGroup<PreparedEvent>, answer: GroupAnswer): CommittedGroup {
  const { workers, touches } = answer;
  const known = new Set(answer.known);
  const stored = known.size === 0 ? events : events.filter((_, index) => !known.has(index));
  const changed = tasks.flatMap(({ row }, index) => {
    const stateAfter = taskStates[answer.after[index] as number];
    if (stateAfter === undefined) return [];
    const stateBefore = taskStates[answer.before[index] as number] ?? null;
    return [
      { projectId: row.project_id, id: row.id, name: answer.names.get(index) ?? row.name, stateBefore, stateAfter },
    ];
  });
  return { stored, tasks: changed, workers, touches };
}
