import type { StoredTask } from "../../tasks/index.ts";
import type { FamilyField, PreparedEvent } from "../prepare-batch.ts";
import type { EventGroup, GroupTask } from "./event-group.ts";

/**
 * A group as it travels to the writer thread: columns of numbers and texts, because a thousand small objects cost more to copy than
 * all their content. Texts that repeat (projects, engines, kinds, names) stand once in `words`, of which the first one is none.
 */
export interface GroupColumns {
  readonly words: readonly (string | null)[];
  readonly ids: readonly string[];
  readonly payloads: readonly string[];
  /** occurred_at in milliseconds. */
  readonly at: Float64Array;
  readonly project: Int32Array;
  readonly agent: Int32Array;
  readonly engine: Int32Array;
  readonly kind: Int32Array;
  /** Index into `tasks`, -1 for an event that tells of none. */
  readonly task: Int32Array;
  /** task_id of an event that is not projected. */
  readonly looseTask: Int32Array;
  readonly name: Int32Array;
  readonly queue: Int32Array;
  /** The worker of a task event. */
  readonly worker: Int32Array;
  /** Milliseconds, -1 for none; more than 25 days do not fit into 32 bits. */
  readonly runMs: Float64Array;
  readonly waitMs: Float64Array;
  readonly tasks: readonly StoredTask[];
  /** For each task the indexes of its events. */
  readonly taskEvents: readonly (readonly number[])[];
  /** (event index, old id) of the events that retry another task. */
  readonly retries: readonly (readonly [number, string])[];
  /** (event index, name) of the events that are about a worker. */
  readonly ownWorkers: readonly (readonly [number, string])[];
  readonly withheld: readonly (readonly [number, readonly FamilyField[]])[];
  readonly nowMs: number;
}

/** What the writer thread answers. */
export interface GroupResult {
  /** 1 for each event that was inserted. */
  readonly inserted: Uint8Array;
  /** For each task its state before and after: indexes into `states`, -1 for no row or no change. */
  readonly before: Int8Array;
  readonly after: Int8Array;
  /** (task, name) of the tasks whose row has another name than the one handed in. */
  readonly names: readonly (readonly [number, string])[];
  readonly states: readonly string[];
  readonly workers: readonly { readonly projectId: string; readonly id: string }[];
}

type StoreTask = (id: string, row: EventGroup["tasks"][number]["row"]) => StoredTask;

export function columnsOf(group: EventGroup, storedTask: StoreTask, nowMs: number): GroupColumns {
  const { events, tasks } = group;
  const count = events.length;
  const words: (string | null)[] = [null];
  const known = new Map<string, number>();
  const word = (text: string | null): number => {
    if (text === null) return 0;
    let index = known.get(text);
    if (index === undefined) {
      index = words.length;
      words.push(text);
      known.set(text, index);
    }
    return index;
  };
  const ints = () => new Int32Array(count);
  const columns = {
    words,
    ids: new Array<string>(count),
    payloads: new Array<string>(count),
    at: new Float64Array(count),
    project: ints(),
    agent: ints(),
    engine: ints(),
    kind: ints(),
    task: ints().fill(-1),
    looseTask: ints(),
    name: ints(),
    queue: ints(),
    worker: ints(),
    runMs: new Float64Array(count),
    waitMs: new Float64Array(count),
    tasks: tasks.map(({ id, row }) => storedTask(id, row)),
    taskEvents: tasks.map((task) => task.events),
    retries: [] as [number, string][],
    ownWorkers: [] as [number, string][],
    withheld: [] as [number, readonly FamilyField[]][],
    nowMs,
  };
  for (let task = 0; task < tasks.length; task += 1) {
    for (const event of (tasks[task] as GroupTask).events) columns.task[event] = task;
  }
  const projects = column(word);
  const agents = column(word);
  const engines = column(word);
  const kinds = column(word);
  const names = column(word);
  const queues = column(word);
  const workers = column(word);
  for (let index = 0; index < count; index += 1) {
    const { id, payload, task, ownWorker, retriedFrom, withheld } = events[index] as PreparedEvent;
    columns.ids[index] = id;
    columns.payloads[index] = payload;
    columns.at[index] = task.at;
    columns.project[index] = projects(task.projectId);
    columns.agent[index] = agents(task.agentId);
    columns.engine[index] = engines(task.engine);
    columns.kind[index] = kinds(task.kind);
    columns.looseTask[index] = task.key === "" ? word(task.taskId) : 0;
    columns.name[index] = names(task.name);
    columns.queue[index] = queues(task.queue);
    columns.worker[index] = workers(task.worker);
    columns.runMs[index] = task.runMs ?? -1;
    columns.waitMs[index] = task.waitMs ?? -1;
    if (retriedFrom !== null) columns.retries.push([index, retriedFrom]);
    if (ownWorker !== null) columns.ownWorkers.push([index, ownWorker]);
    if (withheld !== null) columns.withheld.push([index, withheld]);
  }
  return columns;
}

/** Neighbours in a column are often equal, and comparing two texts is cheaper than looking one up. */
function column(word: (text: string | null) => number): (text: string | null) => number {
  let last: string | null = null;
  let lastIndex = 0;
  return (text) => {
    if (text !== last) {
      last = text;
      lastIndex = word(text);
    }
    return lastIndex;
  };
}
