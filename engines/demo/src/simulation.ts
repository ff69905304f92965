import { type EventRecord, sidecarEventId, type TaskKind } from "@svc/protocol";
import { type Failure, type TaskType, taskTypes, type WorkerType, workers } from "./catalogue.ts";

export const engineName = "demo";

interface DemoTask {
  readonly id: string;
  readonly type: TaskType;
  readonly parent: string | null;
  readonly root: string | null;
  readonly kwargs: Record<string, unknown>;
  attempt: number;
  queuedMs: number;
}

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
    const queue = waiting.get(type.queue) ?? [];
    waiting.set(type.queue, queue);
    if (queue.length >= maxWaiting) return;
    taskCount += 1;
    const id = `${run}-${String(taskCount).padStart(8, "0")}`;
    const task: DemoTask = { id, type, parent, root, kwargs: type.kwargs(random), attempt: 0, queuedMs: atMs };
    const lineage = parent === null ? {} : { parent_task_id: parent, root_task_id: root ?? parent };
    emit("task.received", task, atMs, {
      task_name: type.name,
      queue: type.queue,
      priority: type.priority,
      args: [],
      kwargs: task.kwargs,
      max_attempts: type.maxAttempts,
      release,
      tags: parent === null ? [] : ["child"],
      ...lineage,
    });
    queue.push(task);
    assign(type.queue, atMs);
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
    emit("task.started", task, atMs, { worker: worker.type.name, wait_ms: Math.round(atMs - task.queuedMs) });
    const runMs = varied(task.type.runMs);
    plan(atMs + runMs, (endMs) => {
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
      for (const { name, count } of type.children ?? []) {
        const child = taskTypes.find((candidate) => candidate.name === name);
        for (let index = 0; index < count && child !== undefined; index += 1) {
          plan(atMs + 1 + index, (childMs) => submit(child, task.id, task.root ?? task.id, childMs));
        }
      }
      return;
    }
    const failures = type.failures ?? [noFailure];
    const failure = failures[Math.floor(random() * failures.length)] ?? noFailure;
    const { exception, traceback, isFinal } = failure;
    if (isFinal === true || task.attempt + 1 >= type.maxAttempts) {
      emit("task.failed", task, atMs, { ...facts, exception, traceback });
      return;
    }
    emit("task.retried", task, atMs, { worker: worker.type.name, exception, traceback });
    plan(atMs + 2000 * 2 ** task.attempt, (retryMs) => {
      task.attempt += 1;
      task.queuedMs = retryMs;
      waiting.get(type.queue)?.push(task);
      assign(type.queue, retryMs);
    });
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
  };
}
