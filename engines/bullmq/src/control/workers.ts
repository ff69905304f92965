import { hostname } from "node:os";
import { setTimeout as pauseFor } from "node:timers/promises";
import { queueNames } from "../redis/names.ts";
import type { ControlRequest, WorkerRequest } from "./messages.ts";

/** The part of a BullMQ 5 or 6 worker that is used here. */
export interface AttachedWorker {
  /** Name of the queue. */
  readonly name: string;
  readonly opts: { readonly name?: string; readonly prefix?: string };
  concurrency: number;
  /** Set once the worker begins to close. */
  readonly closing?: Promise<void> | undefined;
  /** False while it is paused. */
  isRunning(): boolean;
  isPaused(): boolean;
  pause(doNotWaitActive?: boolean): Promise<void>;
  resume(): void | Promise<void>;
  close(): Promise<void>;
  /** Missing in older versions of BullMQ. */
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
  /** Workers created here. */
  readonly made: Set<AttachedWorker>;
  /** Workers that were closed and replaced here. */
  readonly replaced: WeakSet<AttachedWorker>;
  /** Creates a worker with the application's own processor. Without it, workers cannot be restarted or get another queue. */
  readonly createWorker?: ((plan: WorkerPlan) => AttachedWorker | Promise<AttachedWorker>) | undefined;
  readonly namespace: string;
}

export function ownerOf(
  workers: readonly AttachedWorker[],
  { createWorker, namespace = "" }: Partial<Pick<WorkerOwner, "createWorker" | "namespace">>,
): WorkerOwner {
  return { workers, createWorker, namespace, made: new Set(), replaced: new WeakSet() };
}

/** The current workers of this process. */
export function workersOf({ workers, made, replaced }: WorkerOwner): readonly AttachedWorker[] {
  return [...new Set([...workers, ...made])].filter((worker) => !replaced.has(worker));
}

/** How long to wait for running jobs to end. */
const longestPauseMs = 1000;
const mostConcurrency = 100_000;

export function labelOf(worker: AttachedWorker, namespace: string): string {
  return queueNames(prefixOf(worker), worker.name, namespace).label;
}

export function prefixOf(worker: AttachedWorker): string {
  return worker.opts.prefix ?? "bull";
}

/** BullMQ's default prefix when there are no workers. */
export function prefixesOf(workers: readonly AttachedWorker[]): readonly string[] {
  return workers.length === 0 ? ["bull"] : [...new Set(workers.map(prefixOf))];
}

/** Only named workers appear in events; the others are named by host, process and queue. */
export function nameOf(worker: AttachedWorker, namespace: string): string {
  return worker.opts.name ?? `${hostname()}:${process.pid}:${labelOf(worker, namespace)}`;
}

/**
 * Applies a request to the workers of this process and prefix.
 *
 * @returns whether one of them matched. Rejects with an Error whose message is for operators when the request fails.
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
  if (!Object.hasOwn(actions, request.action)) throw new Error(`this version of svc doesn't support ${request.action}`);
  await actions[request.action](owner, named, request);
  return true;
}

type WorkerAction = (owner: WorkerOwner, named: readonly AttachedWorker[], request: WorkerRequest) => Promise<void>;

const actions: Readonly<Record<WorkerRequest["action"], WorkerAction>> = {
  async resize(_, named, { delta = 0 }) {
    const sizes = named.map((worker) => worker.concurrency + delta);
    const least = Math.min(...sizes);
    if (least < 1) throw new Error(`a pool needs at least 1 slot; this one would have ${least}`);
    if (Math.max(...sizes) > mostConcurrency) throw new Error(`a pool can have at most ${mostConcurrency} slots`);
    for (const [index, worker] of named.entries()) worker.concurrency = sizes[index] ?? worker.concurrency;
  },

  /**
   * Creates the new worker before it closes the old one, so that an error while creating changes nothing. The old worker takes no more jobs
   * and finishes its running ones in the background.
   */
  async restart(owner, named) {
    const closing: Promise<void>[] = [];
    for (const worker of named) {
      const { concurrency } = worker;
      const plan = { queue: worker.name, prefix: prefixOf(worker), name: worker.opts.name, concurrency };
      const fresh = await create(owner, plan);
      owner.made.add(fresh);
      owner.made.delete(worker);
      owner.replaced.add(worker);
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
      throw new Error(`${queue} does not have this worker's key prefix`);
    const plan = { queue: plain, prefix, name: first.opts.name, concurrency: first.concurrency };
    owner.made.add(await create(owner, plan));
  },

  /**
   * The worker stays but takes no more jobs; its running ones finish. BullMQ's pause waits for them, and only then keeps the worker from
   * taking one more job, so it runs here in the background.
   */
  async cancel_consumer(owner, named, { queue = "" }) {
    const consumers = named.filter((worker) => labelOf(worker, owner.namespace) === queue);
    if (consumers.length === 0) throw new Error(`this worker does not consume from ${queue}`);
    await Promise.race([Promise.all(consumers.map((worker) => worker.pause())), pauseFor(longestPauseMs)]);
  },
};

async function create({ createWorker }: WorkerOwner, plan: WorkerPlan): Promise<AttachedWorker> {
  if (!createWorker) throw new Error("the application does not provide createWorker, so workers can't be created");
  return await createWorker(plan);
}
