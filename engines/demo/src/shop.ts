import { type EventRecord, sidecarEventId, type TaskKind } from "@svc/protocol";
import { type Failure, type TaskType, taskTypes, workers } from "./catalogue.ts";
import { exponential, logNormal } from "./chance.ts";
import { Crew, type DemoWorker } from "./crew.ts";
import { canaryMs, losses, rhythm, rolloutMs } from "./story.ts";
import { type DemoTask, EndedTasks, type Inputs } from "./tasks.ts";

export const engineName = "demo";

type Act = (atMs: number) => void;

export interface ShopOptions {
  /** Part of every id, so that runs do not share ids. */
  readonly run: string;
  /** When its history begins. */
  readonly startMs: number;
  /** When its history ends. */
  readonly openedMs: number;
  /** 0 to below 1. */
  readonly random: () => number;
  /** Multiplies the catalogue's rates. */
  readonly pace: number;
}

/** Minimum and mean extra time that a free worker takes to fetch a task. */
const fetchMs = 4;
const noFailure: Failure = {
  exception: "Error: the job failed",
  traceback: "Error: the job failed\n    at run (/srv/shop/tasks.js:1:1)",
};
/** Maximum number of waiting tasks in a queue; beyond it, new tasks are dropped to limit memory. */
const maxWaiting = 2000;
/** Maximum number of remembered orders. */
const maxOrders = 10_000;

/** A task that was submitted from outside. */
export interface Order extends Inputs {
  /** The same key adds one task. */
  readonly key: string;
  /** Name of a task type. */
  readonly name: string;
  /** Default: the queue of its type. */
  readonly queue: string | undefined;
  /** Default: the priority of its type. */
  readonly priority: TaskType["priority"] | undefined;
  readonly notBeforeMs: number;
}

/**
 * A small shop in virtual time: tasks arrive at random, wait for a free worker, run, fail, are retried with growing pauses, and start
 * children. Releases are rolled out and workers are lost as story.ts defines. `advance` lets time pass and returns its events in order.
 */
export class Shop {
  readonly #run: string;
  readonly #random: () => number;
  readonly #openedMs: number;
  /** Future events, by time. */
  readonly #agenda: { readonly atMs: number; readonly act: Act }[] = [];
  readonly #waiting = new Map<string, DemoTask[]>(workers.map(({ queue }) => [queue, []]));
  readonly #running = new Map<string, { readonly task: DemoTask; readonly worker: DemoWorker }>();
  /** Tasks between two attempts, or delayed by an operator. */
  readonly #pausing = new Map<string, DemoTask>();
  /** Ids of submitted tasks by the key of their order, oldest first. */
  readonly #orders = new Map<string, string>();
  readonly #events: EventRecord[] = [];
  #taskCount = 0;
  #eventCount = 0;
  readonly #crew = new Crew();
  readonly ended = new EndedTasks();

  constructor({ run, startMs, openedMs, random, pace }: ShopOptions) {
    this.#run = run;
    this.#random = random;
    this.#openedMs = openedMs;
    const before = (agoMs: number) => Math.max(startMs, openedMs - agoMs);
    this.#plan(before(canaryMs), () => this.#crew.deploy("canaries"));
    this.#plan(before(rolloutMs), () => this.#crew.deploy("everywhere"));
    for (const { worker, agoMs, reason } of losses) {
      this.#plan(before(agoMs), (atMs) => this.#lose(worker, reason, atMs));
    }
    for (const type of taskTypes) {
      if (type.perMinute > 0) this.#expectCustomers(type, 60_000 / (type.perMinute * pace), startMs);
    }
  }

  /** Lets time pass up to `untilMs` and returns its events, oldest first. */
  advance(untilMs: number): EventRecord[] {
    for (let next = this.#agenda[0]; next !== undefined && next.atMs <= untilMs; next = this.#agenda[0]) {
      this.#agenda.shift();
      next.act(next.atMs);
    }
    return this.#events.splice(0);
  }

  depths(): Record<string, number> {
    return Object.fromEntries([...this.#waiting].map(([name, { length }]) => [name, length]));
  }

  oldest(): Record<string, string> {
    const oldest: Record<string, string> = {};
    for (const [name, [first]] of this.#waiting) {
      if (first !== undefined) oldest[name] = new Date(first.queuedMs).toISOString();
    }
    return oldest;
  }

  /** The workers that report. */
  crew(): readonly Readonly<DemoWorker>[] {
    return this.#crew.present();
  }

  get taskCount(): number {
    return this.#taskCount;
  }

  /** The state of an unfinished task. */
  placeOf(id: string): "waiting" | "running" | "pausing" | null {
    if (this.#running.has(id)) return "running";
    if (this.#pausing.has(id)) return "pausing";
    return this.#findWaiting(id) === undefined ? null : "waiting";
  }

  /**
   * Puts a failed task back into its queue, or with other inputs adds a new one.
   *
   * @returns the id of the task that will run. @throws Error when it has not failed or its queue is full.
   */
  retry(
    id: string,
    atMs: number,
    { inputs, notBeforeMs = atMs }: { inputs?: Inputs | undefined; notBeforeMs?: number } = {},
  ): string {
    const failed = this.ended.failed(id);
    const { type, parent, root } = failed;
    if (this.#isFull(type.queue)) throw new Error(`${type.queue} is full`);
    const next = inputs === undefined ? failed : this.#newTask(type, { parent, root, retriedFrom: id, ...inputs });
    if (next === failed) {
      this.ended.removeFailed(id);
      next.attempt += 1;
      next.triesLeft = type.maxAttempts;
    }
    if (notBeforeMs > atMs) this.#pauseUntil(next, notBeforeMs, (dueMs) => this.#receive(next, dueMs));
    else this.#receive(next, atMs);
    return next.id;
  }

  /**
   * Adds a task.
   *
   * @returns its id. @throws Error when the shop has no such task or queue, or the queue is full.
   */
  submit({ key, name, queue, priority, notBeforeMs, ...inputs }: Order, atMs: number): string {
    const known = this.#orders.get(key);
    if (known !== undefined) return known;
    const named = taskTypes.find((candidate) => candidate.name === name);
    if (named === undefined) {
      throw new Error(`the demo shop has no task ${name}, only ${taskTypes.map((one) => one.name).join(", ")}`);
    }
    const type = { ...named, queue: queue ?? named.queue, priority: priority ?? named.priority };
    if (this.#isFull(type.queue)) throw new Error(`${type.queue} is full`);
    const task = this.#newTask(type, { parent: null, root: null, retriedFrom: null, ...inputs });
    this.#orders.set(key, task.id);
    const [oldest] = this.#orders.keys();
    if (oldest !== undefined && this.#orders.size > maxOrders) this.#orders.delete(oldest);
    if (notBeforeMs > atMs) this.#pauseUntil(task, notBeforeMs, (dueMs) => this.#receive(task, dueMs));
    else this.#receive(task, atMs);
    return task.id;
  }

  /** Revokes an unfinished task; the worker of a running one is free immediately. @throws Error when the task is unknown or finished. */
  cancel(id: string, atMs: number): void {
    const held = this.#running.get(id);
    const task = held?.task ?? this.#pausing.get(id) ?? this.#findWaiting(id);
    if (task === undefined) throw new Error(`${id} is neither waiting nor running`);
    const { queue } = task.type;
    const waiting = this.#waitingIn(queue);
    if (waiting.includes(task)) waiting.splice(waiting.indexOf(task), 1);
    this.#pausing.delete(id);
    this.#revoke(task, atMs);
    if (held === undefined) return;
    this.#running.delete(id);
    held.worker.running -= 1;
    this.#assign(queue, atMs);
  }

  /** Removes waiting tasks of a queue, oldest first; returns their number. @throws Error when the queue does not exist. */
  purge(queue: string, atMs: number, most = Number.POSITIVE_INFINITY): number {
    const purged = this.#waitingIn(queue).splice(0, most);
    for (const task of purged) this.#revoke(task, atMs);
    return purged.length;
  }

  #waitingIn(queue: string): DemoTask[] {
    const waiting = this.#waiting.get(queue);
    if (waiting === undefined) throw new Error(`queue ${queue} does not exist`);
    return waiting;
  }

  #findWaiting(id: string): DemoTask | undefined {
    return [...this.#waiting.values()].flat().find((task) => task.id === id);
  }

  #isFull(queue: string): boolean {
    return this.#waitingIn(queue).length >= maxWaiting;
  }

  #plan(atMs: number, act: Act): void {
    this.#agenda.splice(this.#agenda.findLastIndex((planned) => planned.atMs <= atMs) + 1, 0, { atMs, act });
  }

  #emit(kind: TaskKind, task: DemoTask, atMs: number, data: Record<string, unknown>): void {
    this.#record(kind, task.id, atMs, { attempt: task.attempt, ...data });
  }

  #record(kind: TaskKind | "worker.offline", taskId: string, atMs: number, data: Record<string, unknown>): void {
    this.#eventCount += 1;
    this.#events.push({
      id: sidecarEventId({
        engine: engineName,
        source: `demo:${this.#run}`,
        nativeId: String(this.#eventCount),
        taskId,
        kind,
      }),
      kind,
      engine: engineName,
      task_id: taskId,
      occurred_at: new Date(atMs).toISOString(),
      data,
    });
  }

  /** Schedules arrivals at the busiest rate; other hours drop a share of them. */
  #expectCustomers(type: TaskType, meanMs: number, fromMs: number): void {
    this.#plan(fromMs + exponential(this.#random, meanMs), (atMs) => {
      if (this.#random() < rhythm(this.#openedMs - atMs)) this.#submit(type, null, null, atMs);
      this.#expectCustomers(type, meanMs, atMs);
    });
  }

  #submit(type: TaskType, parent: string | null, root: string | null, atMs: number): void {
    if (this.#isFull(type.queue)) return;
    const kwargs = type.kwargs(this.#random);
    this.#receive(this.#newTask(type, { parent, root, retriedFrom: null, args: [], kwargs }), atMs);
  }

  #newTask(type: TaskType, fields: Inputs & Pick<DemoTask, "parent" | "root" | "retriedFrom">): DemoTask {
    this.#taskCount += 1;
    const id = `${this.#run}-${String(this.#taskCount).padStart(8, "0")}`;
    return { id, type, ...fields, attempt: 0, triesLeft: type.maxAttempts, queuedMs: 0 };
  }

  /** Puts a new or returning task at the end of its queue and reports it. */
  #receive(task: DemoTask, atMs: number): void {
    const { type, parent, root, retriedFrom } = task;
    this.#emit(task.attempt === 0 ? "task.sent" : "task.received", task, atMs, {
      task_name: type.name,
      queue: type.queue,
      priority: type.priority,
      args: task.args,
      kwargs: task.kwargs,
      max_attempts: type.maxAttempts,
      tags: parent === null ? [] : ["child"],
      ...(parent === null ? {} : { parent_task_id: parent, root_task_id: root ?? parent }),
      ...(retriedFrom === null ? {} : { retried_from: retriedFrom }),
    });
    this.#queueUp(task, atMs);
  }

  #queueUp(task: DemoTask, atMs: number): void {
    const { queue } = task.type;
    task.queuedMs = atMs;
    this.#waitingIn(queue).push(task);
    this.#plan(atMs + fetchMs + exponential(this.#random, fetchMs), (fetchedMs) => this.#assign(queue, fetchedMs));
  }

  #assign(queue: string, atMs: number): void {
    const waiting = this.#waitingIn(queue);
    while (waiting.length > 0) {
      const free = this.#crew.free(queue);
      const worker = free[Math.floor(this.#random() * free.length)];
      if (worker === undefined) return;
      this.#begin(waiting.shift() as DemoTask, worker, atMs);
    }
  }

  #begin(task: DemoTask, worker: DemoWorker, atMs: number): void {
    worker.running += 1;
    const held = { task, worker };
    this.#running.set(task.id, held);
    const { release, type } = worker;
    this.#emit("task.started", task, atMs, { worker: type.name, release, wait_ms: Math.round(atMs - task.queuedMs) });
    const runMs = logNormal(this.#random, task.type.runMs);
    this.#plan(atMs + runMs, (endMs) => {
      if (this.#running.get(task.id) !== held) return; // cancelled, or its worker was lost
      this.#running.delete(task.id);
      worker.running -= 1;
      this.#finish(task, { worker: type.name, runtime_ms: Math.round(runMs) }, release, endMs);
      this.#assign(task.type.queue, endMs);
    });
  }

  #finish(
    task: DemoTask,
    facts: { readonly worker: string; readonly runtime_ms: number },
    release: string,
    atMs: number,
  ): void {
    const { type } = task;
    const broken = type.broken?.release === release && type.broken.hits(task.kwargs) ? type.broken.failure : undefined;
    if (broken === undefined && this.#random() >= type.failureShare) {
      this.#emit("task.succeeded", task, atMs, { ...facts, result: type.result(this.#random) });
      this.ended.add({ task, state: "success", endedMs: atMs, exception: null });
      this.#startChildren(task, atMs);
      return;
    }
    const known = type.failures ?? [noFailure];
    const failure = broken ?? known[Math.floor(this.#random() * known.length)] ?? noFailure;
    const { exception, traceback, isFinal } = failure;
    task.triesLeft -= 1;
    if (isFinal === true || task.triesLeft <= 0) {
      this.#emit("task.failed", task, atMs, { ...facts, exception, traceback });
      this.ended.add({ task, state: "failure", endedMs: atMs, exception });
      return;
    }
    this.#emit("task.retried", task, atMs, { worker: facts.worker, exception, traceback });
    const failures = type.maxAttempts - task.triesLeft;
    this.#pauseUntil(task, atMs + 1000 * 2 ** failures, (retryMs) => {
      task.attempt += 1;
      this.#queueUp(task, retryMs);
    });
  }

  /** Its tasks go back into their queue, as in real engines when a worker stops renewing its locks. */
  #lose(name: string, reason: string, atMs: number): void {
    const worker = this.#crew.lose(name);
    this.#record("worker.offline", "", atMs, { worker: name, reason });
    for (const [id, held] of [...this.#running]) {
      if (held.worker !== worker) continue;
      this.#running.delete(id);
      held.task.attempt += 1;
      this.#receive(held.task, atMs);
    }
  }

  #startChildren(task: DemoTask, atMs: number): void {
    for (const { name, count } of task.type.children ?? []) {
      const child = taskTypes.find((candidate) => candidate.name === name);
      for (let index = 0; index < count && child !== undefined; index += 1) {
        this.#plan(atMs + 1 + index, (childMs) => this.#submit(child, task.id, task.root ?? task.id, childMs));
      }
    }
  }

  #pauseUntil(task: DemoTask, untilMs: number, act: Act): void {
    this.#pausing.set(task.id, task);
    this.#plan(untilMs, (atMs) => {
      if (this.#pausing.delete(task.id)) act(atMs); // else it was cancelled
    });
  }

  #revoke(task: DemoTask, atMs: number): void {
    this.#emit("task.revoked", task, atMs, {});
    this.ended.add({ task, state: "revoked", endedMs: atMs, exception: null });
  }
}
