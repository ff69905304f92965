import { carriedFields, taskStates } from "@svc/protocol";
import { fingerprintOf } from "../../issues/thread.ts";
import type { ScheduleReport } from "../../native-schedules/thread.ts";
import { rowOfEvents, type StoredTask, storedTask, taskEventOf, taskView } from "../../tasks/thread.ts";
import type { FamilyField, PreparedEvent } from "../prepare-batch.ts";
import type { CommittedGroup } from "./commit.ts";
import type { EventGroup, GroupTask, PlannedEvent } from "./event-group.ts";
import type { BatchPlan } from "./plan-batch.ts";
import type { Touches } from "./touches.ts";

/** Texts of an event that often repeat; the loose task id is that of an event that is not projected. */
const repeated = ["projectId", "agentId", "engine", "kind", "looseTaskId", "name", "queue", "worker_name"] as const;
type RepeatedText = (typeof repeated)[number];

/**
 * A group as it is sent to the writer thread: columns of numbers and texts, because a thousand small objects cost more to copy than their
 * content.
 */
export interface GroupMessage {
  /** Distinct repeated texts; the first one means none. */
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
  readonly schedules: ReadonlyMap<number, ScheduleReport>;
  readonly nowMs: number;
}

export function messageOf({ events, tasks }: EventGroup<PreparedEvent>, nowMs: number): GroupMessage {
  const count = events.length;
  const words: (string | null)[] = [null];
  const known = new Map<string | null, number>([[null, 0]]);
  const columns = Object.fromEntries(repeated.map((name) => [name, createTextColumn(words, known, count)])) as Record<
    RepeatedText,
    ReturnType<typeof createTextColumn>
  >;
  const { projectId, agentId, engine, kind, looseTaskId, name, queue, worker_name } = columns;
  const message = {
    words,
    texts: Object.fromEntries(repeated.map((name) => [name, columns[name].indexes])) as Record<
      RepeatedText,
      Int32Array
    >,
    // Filled with push, because an array created with its length counts as sparse, which is sent pair by pair.
    ids: [] as string[],
    payloads: [] as string[],
    at: new Float64Array(count),
    runMs: new Float64Array(count),
    waitMs: new Float64Array(count),
    tasks: tasks.map(({ row }) => storedTask(row)),
    taskEvents: tasks.map((task) => task.events),
    retriedFrom: new Map<number, string>(),
    ownWorkers: new Map<number, string>(),
    withheld: new Map<number, readonly FamilyField[]>(),
    schedules: new Map<number, ScheduleReport>(),
    nowMs,
  };
  for (let index = 0; index < count; index += 1) {
    const { id, payload, task, retriedFrom, ownWorker, withheld, schedule } = events[index] as PreparedEvent;
    projectId.set(index, task.projectId);
    agentId.set(index, task.agentId);
    engine.set(index, task.engine);
    kind.set(index, task.kind);
    looseTaskId.set(index, task.key === "" ? task.taskId : null);
    name.set(index, task.name);
    queue.set(index, task.queue);
    worker_name.set(index, task.worker_name);
    message.ids.push(id);
    message.payloads.push(payload);
    message.at[index] = task.at;
    message.runMs[index] = task.runtime_ms ?? -1;
    message.waitMs[index] = task.wait_ms ?? -1;
    if (retriedFrom !== null) message.retriedFrom.set(index, retriedFrom);
    if (ownWorker !== null) message.ownWorkers.set(index, ownWorker);
    if (withheld !== null) message.withheld.set(index, withheld);
    if (schedule !== null) message.schedules.set(index, schedule);
  }
  return message;
}

function createTextColumn(words: (string | null)[], known: Map<string | null, number>, count: number) {
  const indexes = new Int32Array(count);
  let last: string | null = null;
  let word = 0;
  return {
    indexes,
    set(index: number, text: string | null): void {
      // Consecutive texts are often equal, and comparing two is cheaper than a lookup.
      if (text !== last) {
        last = text;
        const place = known.get(text);
        word = place ?? words.push(text) - 1;
        if (place === undefined) known.set(text, word);
      }
      indexes[index] = word;
    },
  };
}

/** One event of a message, and its own `task`; it reads from the columns, because objects for all events cost more than storing them. */
class MessageEvent implements PlannedEvent {
  readonly #message: GroupMessage;
  readonly #index: number;
  readonly #task: GroupTask | null;

  constructor(message: GroupMessage, index: number, task: GroupTask | null) {
    this.#message = message;
    this.#index = index;
    this.#task = task;
  }

  get task(): this {
    return this;
  }
  get id(): string {
    return this.#message.ids[this.#index] as string;
  }
  get payload(): string {
    return this.#message.payloads[this.#index] as string;
  }
  get at(): number {
    return this.#message.at[this.#index] as number;
  }
  get taskId(): string {
    return this.#task?.row.task_id ?? this.#text(this.#message.texts.looseTaskId);
  }
  get projectId(): string {
    return this.#text(this.#message.texts.projectId);
  }
  get agentId(): string {
    return this.#text(this.#message.texts.agentId);
  }
  get engine(): string {
    return this.#text(this.#message.texts.engine);
  }
  get kind(): string {
    return this.#text(this.#message.texts.kind);
  }
  get name(): string | null {
    return this.#text(this.#message.texts.name);
  }
  get queue(): string | null {
    return this.#text(this.#message.texts.queue);
  }
  get worker_name(): string | null {
    return this.#text(this.#message.texts.worker_name);
  }
  get runtime_ms(): number | null {
    return durationOf(this.#message.runMs[this.#index]);
  }
  get wait_ms(): number | null {
    return durationOf(this.#message.waitMs[this.#index]);
  }
  get retriedFrom(): string | null {
    return this.#message.retriedFrom.get(this.#index) ?? null;
  }
  get ownWorker(): string | null {
    return this.#message.ownWorkers.get(this.#index) ?? null;
  }

  /** Whether the text may be null depends on its column. */
  #text(column: Int32Array) {
    return this.#message.words[column[this.#index] as number] as string;
  }
}

const durationOf = (ms: number | undefined): number | null => (ms === undefined || ms < 0 ? null : ms);

/** The group of a message. */
export function groupOf(message: GroupMessage): EventGroup<MessageEvent> {
  const taskOfEvent = new Array<GroupTask | null>(message.ids.length).fill(null);
  const tasks = message.tasks.map((stored, index): GroupTask => {
    const own = message.taskEvents[index] as number[];
    const task = { row: taskView(stored), events: own };
    for (let place = 0; place < own.length; place += 1) taskOfEvent[own[place] as number] = task;
    return task;
  });
  const events = taskOfEvent.map((task, index) => new MessageEvent(message, index, task));
  /** Read from the payloads again, because few groups have tasks of whose events only some are new. */
  const rowOf = (indexes: readonly number[]) =>
    rowOfEvents(
      indexes.map((index) => {
        const event = events[index] as MessageEvent;
        const data = JSON.parse(event.payload) as Record<string, unknown>;
        const fields = carriedFields(event.kind, data, event.taskId);
        for (const member of message.withheld.get(index) ?? []) delete fields[member];
        return taskEventOf(event, fields, data, fingerprintOf);
      }),
    );
  return { events, tasks, rowOf };
}

/** The writer thread's answer. */
export interface GroupAnswer {
  /** Indexes of the events that already existed. */
  readonly known: readonly number[];
  /** Per task its state before and after: indexes into `taskStates`, -1 for no row or no change. */
  readonly before: Int8Array;
  readonly after: Int8Array;
  /** The tasks whose row has another name than the given one, by index. */
  readonly names: ReadonlyMap<number, string>;
  readonly workers: CommittedGroup["workers"];
  readonly schedules: CommittedGroup["schedules"];
  readonly touches: Touches;
}

const codeOf = (state: string): number => (taskStates as readonly string[]).indexOf(state);

export function answerOf(
  { tasks }: EventGroup,
  { rows, touches }: BatchPlan,
  { isNew, workers, schedules }: Pick<CommittedGroup, "workers" | "schedules"> & { readonly isNew: readonly boolean[] },
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
  const known: number[] = [];
  for (let index = 0; index < isNew.length; index += 1) if (!isNew[index]) known.push(index);
  return { known, before, after, names, workers, schedules, touches };
}

/** The meaning of an answer for the group that was sent. */
export function committedOf({ events, tasks }: EventGroup<PreparedEvent>, answer: GroupAnswer): CommittedGroup {
  const { workers, schedules, touches } = answer;
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
  return { stored, tasks: changed, workers, schedules, touches };
}
