import { hostname } from "node:os";
import { setTimeout as pauseFor } from "node:timers/promises";
import { queueNames } from "../redis/names.ts";
import type { ControlRequest, WorkerRequest } from "./messages.ts";

/** The part of a BullMQ worker, of either major, that is looked at and acted on. */
export interface AttachedWorker {
  /** Name of the queue. */
  readonly name: string;
  readonly opts: { readonly name?: string; readonly prefix?: string };
  concurrency: number;
  /** Set from when it begins to close. */
  readonly closing?: Promise<void> | undefined;
  /** False while it is paused. */
  isRunning(): boolean;
  isPaused(): boolean;
  pause(doNotWaitActive?: boolean): Promise<void>;
  resume(): void | Promise<void>;
  close(): Promise<void>;
  /** Older versions of BullMQ cannot cancel. */
  cancelJob?(jobId: string, reason?: string): boolean;
}

export interface WorkerPlan {
  readonly queue: string;
  readonly prefix: string;
  readonly name: string | undefined;
  readonly concurrency: number;
}

export interface WorkerOwner {
  /** The application's own list, which may grow. */
  readonly workers: readonly AttachedWorker[];
  /** Workers that were made here, and those that were closed for it. */
  readonly made: Set<AttachedWorker>;
  readonly gone: WeakSet<AttachedWorker>;
  /** Makes a worker with the application's own processor. Without it, workers can be neither restarted nor given a queue. */
  readonly createWorker?: ((plan: WorkerPlan) => AttachedWorker | Promise<AttachedWorker>) | undefined;
  readonly namespace: string;
}

export function ownerOf(
  workers: readonly AttachedWorker[],
  { createWorker, namespace = "" }: Partial<Pick<WorkerOwner, "createWorker" | "namespace">>,
): WorkerOwner {
  return { workers, createWorker, namespace, made: new Set(), gone: new WeakSet() };
}

/** Those of this process now. */
export function workersOf({ workers, made, gone }: WorkerOwner): readonly AttachedWorker[] {
  return [...new Set([...workers, ...made])].filter((worker) => !gone.has(worker));
}

/** How long the end of running jobs is waited for. */
const longestPauseMs = 1000;
const mostConcurrency = 100_000;

export function labelOf(worker: AttachedWorker, namespace: string): string {
  return queueNames(prefixOf(worker), worker.name, namespace).label;
}

export function prefixOf(worker: AttachedWorker): string {
  return worker.opts.prefix ?? "bull";
}

/** BullMQ's own prefix when there are none. */
export function prefixesOf(workers: readonly AttachedWorker[]): readonly string[] {
  return workers.length === 0 ? ["bull"] : [...new Set(workers.map(prefixOf))];
}

/** Only a worker with a name shows in events; the others are called by host, process and queue. */
export function nameOf(worker: AttachedWorker, namespace: string): string {
  return worker.opts.name ?? `${hostname()}:${process.pid}:${labelOf(worker, namespace)}`;
}

/**
 * Does what a request asks for to the workers of this process and prefix.
 *
 * @returns whether it concerned one of them. Rejects with an Error in words for an operator when it could not be done.
 */
export async function controlWorkers(owner: WorkerOwner, prefix: string, request: ControlRequest): Promise<boolean> {
  const { namespace } = owner;
  const own = workersOf(owner).filter((worker) => prefixOf(worker) === prefix);
  if (request.action === "cancel") {
    const { queue, jobId } = request;
    return own.some(
      (worker) => worker.name === queue && worker.cancelJob?.(jobId, "cancelled by an operator") === true,
    );
  }
  const named = own.filter((worker) => nameOf(worker, namespace) === request.worker);
  if (named.length === 0) return false;
  if (!Object.hasOwn(actions, request.action)) throw new Error(`this version cannot ${request.action}`);
  await actions[request.action](owner, named, request);
  return true;
}

type WorkerAction = (owner: WorkerOwner, named: readonly AttachedWorker[], request: WorkerRequest) => Promise<void>;

const actions: Readonly<Record<WorkerRequest["action"], WorkerAction>> = {
  async resize(_, named, { delta = 0 }) {
    const sizes = named.map((worker) => worker.concurrency + delta);
    const least = Math.min(...sizes);
    if (least < 1) throw new Error(`a pool has at least one slot, this one would have ${least}`);
    if (Math.max(...sizes) > mostConcurrency) throw new Error(`a pool has at most ${mostConcurrency} slots`);
    for (const [index, worker] of named.entries()) worker.concurrency = sizes[index] ?? worker.concurrency;
  },

  /**
   * The new worker stands before the old one goes, so that a fault in making it leaves everything as it was. The old one takes nothing
   * more; what it has begun runs to the end, which is not waited for.
   */
  async restart(owner, named) {
    const closing: Promise<void>[] = [];
    for (const worker of named) {
      const { concurrency } = worker;
      const plan = { queue: worker.name, prefix: prefixOf(worker), name: worker.opts.name, concurrency };
      const fresh = await create(owner, plan);
      owner.made.add(fresh);
      owner.made.delete(worker);
      owner.gone.add(worker);
      closing.push(worker.close());
    }
    await Promise.race([Promise.all(closing), pauseFor(longestPauseMs)]);
  },

  async add_consumer(owner, named, { queue = "" }) {
    const [first] = named;
    const consumers = named.filter((worker) => labelOf(worker, owner.namespace) === queue);
    for (const worker of consumers) if (worker.isPaused()) await worker.resume();
    if (consumers.length > 0 || !first) return;
    const prefix = prefixOf(first);
    const front = queueNames(prefix, "", owner.namespace).label;
    const plain = queue.slice(front.length);
    if (!queue.startsWith(front) || plain === "" || plain.includes(":"))
      throw new Error(`${queue} is not a queue of the prefix of this worker`);
    const plan = { queue: plain, prefix, name: first.opts.name, concurrency: first.concurrency };
    owner.made.add(await create(owner, plan));
  },

  /**
   * The worker stays and takes nothing more; what it has begun runs to the end. BullMQ's pause also waits for that end, which is not
   * waited for here; without that waiting it would let the worker take one more job.
   */
  async cancel_consumer(owner, named, { queue = "" }) {
    const consumers = named.filter((worker) => labelOf(worker, owner.namespace) === queue);
    if (consumers.length === 0) throw new Error(`this worker does not consume from ${queue}`);
    await Promise.race([Promise.all(consumers.map((worker) => worker.pause())), pauseFor(longestPauseMs)]);
  },
};

async function create({ createWorker }: WorkerOwner, plan: WorkerPlan): Promise<AttachedWorker> {
  if (!createWorker) throw new Error("the application gave no createWorker, without which no worker can be made");
  return await createWorker(plan);
}
