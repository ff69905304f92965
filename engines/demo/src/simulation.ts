import { type EventRecord, sidecarEventId, type TaskKind } from "@svc/protocol";
import { type Failure, type TaskType, taskTypes, type WorkerType, workers } from "./catalogue.ts";
import { createEndedTasks } from "./ended-tasks.ts";
import type { DemoTask, Inputs } from "./task.ts";

export const engineName = "demo";

interface DemoWorker {
  readonly type: WorkerType;
  running: number;
}

interface Planned {
  readonly atMs: number;
  readonly act: (atMs: number) => void;
}

export interface SimulationOptions {
  /** Names this run among others, so that ids never meet. */
  readonly run: string;
  readonly startMs: number;
  /** 0 to below 1. */
  readonly random: () => number;
  /** Times the catalogue's rates. */
  readonly pace: number;
}

const release = "2026.11.3";
const noFailure: Failure = {
  exception: "Error: the job failed",
  traceback: "Error: the job failed\n    at run (/srv/shop/tasks.js:1:1)",
};
/** Waiting tasks of a queue at most; beyond that the shop turns customers away instead of filling memory. */
const maxWaiting = 2000;

/**
 * A small shop in virtual time: tasks arrive at random, wait for a free worker, run, fail, are retried with growing pauses, and start
 * children. `advance` lets time pass and gives the events of that time in order.
 */
export function createSimulation({ run, startMs, random, pace }: SimulationOptions) {
  const agenda: Planned[] = [];
  const waiting = new Map<string, DemoTask[]>();
  const running = new Map<string, { readonly task: DemoTask; readonly worker: DemoWorker }>();
  /** Between two attempts, or until the time that an operator chose. */
  const pausing = new Map<string, DemoTask>();
  const ended = createEndedTasks();
  const crew: DemoWorker[] = workers.map((type) => ({ type, running: 0 }));
  const events: EventRecord[] = [];
  let taskCount = 0;
  let eventCount = 0;

  function plan(atMs: number, act: (atMs: number) => void): void {
    let low = 0;
    let high = agenda.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((agenda[middle] as Planned).atMs <= atMs) low = middle + 1;
      else high = middle;
    }
    agenda.splice(low, 0, { atMs, act });
  }

  function emit(kind: TaskKind, task: DemoTask, atMs: number, data: Record<string, unknown>): void {
    eventCount += 1;
    events.push({
      id: sidecarEventId({
        engine: engineName,
        source: `demo:${run}`,
        nativeId: String(eventCount),
        taskId: task.id,
        kind,
      }),
      kind,
      engine: engineName,
      task_id: task.id,
      occurred_at: new Date(atMs).toISOString(),
      data: { attempt: task.attempt, ...data },
    });
  }

  /** Waits are exponential and run times log-normal, as they are in life. */
  const exponential = (meanMs: number) => -Math.log(1 - random()) * meanMs;
  const varied = (medianMs: number) => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Math.max(5, medianMs * Math.exp(normal * 0.55));
  };

  function arrivalsOf(type: TaskType): void {
    if (type.perMinute === 0) return;
    const meanMs = 60_000 / (type.perMinute * pace);
    const next = (atMs: number) => {
      submit(type, null, null, atMs);
      plan(atMs + exponential(meanMs), next);
    };
    plan(startMs + exponential(meanMs), next);
  }

  function submit(type: TaskType, parent: string | null, root: string | null, atMs: number): void {
    if (isFull(type.queue)) return;
    enqueue(newTask(type, { parent, root, retriedFrom: null }, { args: [], kwargs: type.kwargs(random) }), atMs);
  }

  function newTask(
    type: TaskType,
    lineage: Pick<DemoTask, "parent" | "root" | "retriedFrom">,
    { args, kwargs }: Inputs,
  ): DemoTask {
    taskCount += 1;
    const id = `${run}-${String(taskCount).padStart(8, "0")}`;
    return { id, type, ...lineage, args, kwargs, attempt: 0, triesLeft: type.maxAttempts, queuedMs: 0 };
  }

  function isFull(queue: string): boolean {
    return (waiting.get(queue)?.length ?? 0) >= maxWaiting;
  }

  /** Puts a task at the end of its queue and says so. */
  function enqueue(task: DemoTask, atMs: number): void {
    const { type, parent, root, retriedFrom } = task;
    emit("task.received", task, atMs, {
      task_name: type.name,
      queue: type.queue,
      priority: type.priority,
      args: task.args,
      kwargs: task.kwargs,
      max_attempts: type.maxAttempts,
      release,
      tags: parent === null ? [] : ["child"],
      ...(parent === null ? {} : { parent_task_id: parent, root_task_id: root ?? parent }),
      ...(retriedFrom === null ? {} : { retried_from: retriedFrom }),
    });
    queueUp(task, atMs);
  }

  function queueUp(task: DemoTask, atMs: number): void {
    const queue = waiting.get(task.type.queue) ?? [];
    waiting.set(task.type.queue, queue);
    task.queuedMs = atMs;
    queue.push(task);
    assign(task.type.queue, atMs);
  }

  function assign(queueName: string, atMs: number): void {
    const queue = waiting.get(queueName) ?? [];
    while (queue.length > 0) {
      const free = crew.filter(({ type, running }) => type.queue === queueName && running < type.concurrency);
      const worker = free[Math.floor(random() * free.length)];
      if (worker === undefined) return;
      begin(queue.shift() as DemoTask, worker, atMs);
    }
  }

  function begin(task: DemoTask, worker: DemoWorker, atMs: number): void {
    worker.running += 1;
    const held = { task, worker };
    running.set(task.id, held);
    emit("task.started", task, atMs, { worker: worker.type.name, wait_ms: Math.round(atMs - task.queuedMs) });
    const runMs = varied(task.type.runMs);
    plan(atMs + runMs, (endMs) => {
      if (running.get(task.id) !== held) return; // cancelled
      running.delete(task.id);
      worker.running -= 1;
      finish(task, worker, runMs, endMs);
      assign(task.type.queue, endMs);
    });
  }

  function finish(task: DemoTask, worker: DemoWorker, runMs: number, atMs: number): void {
    const { type } = task;
    const facts = { worker: worker.type.name, runtime_ms: Math.round(runMs) };
    if (random() >= type.failureShare) {
      emit("task.succeeded", task, atMs, { ...facts, result: type.result(random) });
      ended.add({ task, state: "success", endedMs: atMs, exception: null });
      for (const { name, count } of type.children ?? []) {
        const child = taskTypes.find((candidate) => candidate.name === name);
        for (let index = 0; index < count && child !== undefined; index += 1) {
          plan(atMs + 1 + index, (childMs) => submit(child, task.id, task.root ?? task.id, childMs));
        }
      }
      return;
    }
    const known = type.failures ?? [noFailure];
    const failure = known[Math.floor(random() * known.length)] ?? noFailure;
    const { exception, traceback, isFinal } = failure;
    task.triesLeft -= 1;
    if (isFinal === true || task.triesLeft <= 0) {
      emit("task.failed", task, atMs, { ...facts, exception, traceback });
      ended.add({ task, state: "failure", endedMs: atMs, exception });
      return;
    }
    emit("task.retried", task, atMs, { worker: worker.type.name, exception, traceback });
    const failures = type.maxAttempts - task.triesLeft;
    pauseUntil(task, atMs + 1000 * 2 ** failures, (retryMs) => {
      task.attempt += 1;
      queueUp(task, retryMs);
    });
  }

  function pauseUntil(task: DemoTask, untilMs: number, act: (atMs: number) => void): void {
    pausing.set(task.id, task);
    plan(untilMs, (atMs) => {
      if (pausing.delete(task.id)) act(atMs); // else it was cancelled
    });
  }

  function revoke(task: DemoTask, atMs: number): void {
    emit("task.revoked", task, atMs, {});
    ended.add({ task, state: "revoked", endedMs: atMs, exception: null });
  }

  for (const type of taskTypes) arrivalsOf(type);

  return {
    /** Lets time pass up to `untilMs` and returns what happened, oldest first. */
    advance(untilMs: number): EventRecord[] {
      for (let next = agenda[0]; next !== undefined && next.atMs <= untilMs; next = agenda[0]) {
        agenda.shift();
        next.act(next.atMs);
      }
      return events.splice(0);
    },
    depths: (): Record<string, number> =>
      Object.fromEntries(
        [...new Set(workers.map(({ queue }) => queue))].map((name) => [name, waiting.get(name)?.length ?? 0]),
      ),
    oldest: (): Record<string, string> =>
      Object.fromEntries(
        [...waiting].flatMap(([name, queue]) =>
          queue[0] === undefined ? [] : [[name, new Date(queue[0].queuedMs).toISOString()]],
        ),
      ),
    crew: (): readonly Readonly<DemoWorker>[] => crew,
    ended,
    /** What becomes of a task: where it is while it has not ended. */
    placeOf(id: string): "waiting" | "running" | "pausing" | null {
      if (running.has(id)) return "running";
      if (pausing.has(id)) return "pausing";
      return [...waiting.values()].some((queue) => queue.some((task) => task.id === id)) ? "waiting" : null;
    },
    /**
     * Puts a failed task back into its queue, or with other inputs a new one beside it.
     *
     * @returns the id of the task that will run. @throws Error when it has not failed or its queue is full.
     */
    retry(
      id: string,
      atMs: number,
      { inputs, notBeforeMs = atMs }: { inputs?: Inputs | undefined; notBeforeMs?: number } = {},
    ): string {
      const { task } = ended.failed(id) ?? {};
      if (task === undefined) throw new Error(`${id} is not among the failed tasks`);
      if (isFull(task.type.queue)) throw new Error(`${task.type.queue} is full`);
      const { parent, root } = task;
      const next = inputs === undefined ? task : newTask(task.type, { parent, root, retriedFrom: id }, inputs);
      if (next === task) {
        ended.remove(id);
        task.attempt += 1;
        task.triesLeft = task.type.maxAttempts;
      }
      if (notBeforeMs > atMs) pauseUntil(next, notBeforeMs, (dueMs) => enqueue(next, dueMs));
      else enqueue(next, atMs);
      return next.id;
    },
    /** Takes a task out that has not ended; the worker of a running one is free at once. @throws Error when there is none. */
    cancel(id: string, atMs: number): void {
      const held = running.get(id);
      const queue = [...waiting.values()].find((tasks) => tasks.some((task) => task.id === id));
      const task = held?.task ?? pausing.get(id) ?? queue?.find((candidate) => candidate.id === id);
      if (task === undefined) throw new Error(`${id} neither waits nor runs`);
      queue?.splice(queue.indexOf(task), 1);
      pausing.delete(id);
      revoke(task, atMs);
      if (held === undefined) return;
      running.delete(id);
      held.worker.running -= 1;
      assign(task.type.queue, atMs);
    },
    /** Takes out what waits in a queue, the oldest first; gives its number. @throws Error when there is no such queue. */
    purge(queue: string, atMs: number, most = Number.POSITIVE_INFINITY): number {
      if (!workers.some((worker) => worker.queue === queue)) throw new Error(`the shop has no queue ${queue}`);
      const gone = waiting.get(queue)?.splice(0, most) ?? [];
      for (const task of gone) revoke(task, atMs);
      return gone.length;
    },
  };
}
