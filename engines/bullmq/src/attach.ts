import { createHash } from "node:crypto";
import { hostname, loadavg } from "node:os";
import type { AdapterContext, EngineAdapter, WorkerDetails } from "@svc/agent";
import type { RedisOptions } from "ioredis";
import { CommandExecutor } from "./commands/executor.ts";
import { listenForControl } from "./control/listen.ts";
import {
  type AttachedWorker,
  labelOf,
  nameOf,
  ownerOf,
  prefixesOf,
  type WorkerOwner,
  type WorkerPlan,
  workersOf,
} from "./control/workers.ts";
import { engineAdapter, type Running } from "./engine-adapter.ts";
import type { BullmqOptions, Settings } from "./options.ts";
import { openConnections } from "./redis/connection.ts";
import { runWhileLeased } from "./redis/lease.ts";
import { createSchedules } from "./schedules/mirror.ts";
import { createCursorRelay } from "./watching/cursor-relay.ts";
import { createDiscovery } from "./watching/discovery.ts";
import { findQueues } from "./watching/find-queues.ts";
import { Watcher } from "./watching/watcher.ts";

export interface AttachOptions extends Omit<BullmqOptions, "redis"> {
  /** Where the queues live: URL or connection options, never a client instance. */
  readonly redis: string | RedisOptions;
  /** The workers of this process. */
  readonly workers: readonly AttachedWorker[];
  /** Creates a worker with your own processor, when an operator restarts a worker or adds a consumer for another queue. */
  readonly createWorker?: (plan: WorkerPlan) => AttachedWorker | Promise<AttachedWorker>;
}

/** Limits how long reading a backlog blocks the host's thread to a few milliseconds at a time. */
const entriesAtOnce = 500;

/**
 * The adapter inside an application's process. It reads the same streams as the side-car and makes the same events, in one process at a
 * time: of the processes that would read the same queues for the same agent, the holder of a lease key in Redis reads them. The others
 * only report the details of their own workers (process, host, concurrency). When the holder ends, another process continues from its
 * position within about ten seconds.
 *
 * Watching writes four things to Redis: the lease, the shared positions in streams and the counter of schedule events
 * (`<first prefix>:svc-lease:…`, `svc-cursors:…`, `svc-schedule-stream:…`), and the stream caps. The process that receives a command carries it out; a command for a worker reaches
 * the worker's process over the channel `<prefix>:svc-control`.
 *
 * Never throws; `start` rejects with a TypeError that names the option that is out of range.
 */
export function attachBullmq({ workers, createWorker, ...options }: AttachOptions): EngineAdapter {
  const owner = ownerOf(Array.isArray(workers) ? workers : [], { ...options, createWorker });
  return engineAdapter({
    engine: options.engine,
    readOptions() {
      if (!Array.isArray(workers)) throw new TypeError("workers must be an array of this process's workers");
      return { ...options, prefixes: options.prefixes ?? prefixesOf(workers) };
    },
    // Another process may hold the lease for a long time.
    startBoundMs: 1000,
    open: (settings, context, stop) => attach(owner, settings, context, stop),
  });
}

function attach(owner: WorkerOwner, settings: Settings, context: AdapterContext, stop: AbortSignal): Running {
  const connections = openConnections(settings.redis, context.log);
  const { asking } = connections;
  /** Set while this process holds the lease. */
  let watcher: Watcher | undefined;
  const findNow = createDiscovery(asking.redis, settings.prefixes, context.log);
  const schedules = createSchedules({
    ...{ settings, connection: asking, context },
    watchedQueues: () => watcher?.queues() ?? [],
  });
  const executor = new CommandExecutor({
    ...{ settings, connection: asking, schedules },
    knownQueues: async () => watcher?.queues() ?? (await findQueues(settings, findNow)),
    hasWorkers: () => workersOf(owner).length > 0,
  });
  if (settings.commands)
    stop.addEventListener("abort", listenForControl(settings, asking, owner, context.log).close, { once: true });
  const keyOf = sharedKeys(settings, context.destination);
  const { relay, flush } = createCursorRelay(asking.redis, keyOf("cursors"), context.sink);
  const firstTurn = Promise.withResolvers<void>();
  const whileHeld = async (signal: AbortSignal) => {
    const held = new Watcher({ settings, connections, context, relay, entriesAtOnce });
    watcher = held;
    context.log.info("this process now reads the event streams");
    held.began.then(firstTurn.resolve);
    await Promise.all([held.run(signal), held.foundAll.then(() => schedules.run(signal))]);
    watcher = undefined;
  };
  const done = runWhileLeased(asking, keyOf("lease"), { whileHeld, onRenew: flush }, stop);
  return {
    executor,
    began: firstTurn.promise,
    async snapshot() {
      const seen = (await watcher?.snapshot()) ?? {};
      const own = detailsOf(workersOf(owner), settings.namespace);
      return { ...seen, worker_details: { ...seen.worker_details, ...own } };
    },
    async end() {
      await done;
      connections.close();
    },
  };
}

/**
 * Names of the keys that processes share. Only processes that read the same queues for the same agent share a lease; otherwise a process
 * could wait forever while no other process reads its queues. Where two overlap, both make the same events, which is harmless.
 */
function sharedKeys({ engine, namespace, prefixes, queues }: Settings, destination: string) {
  const sorted = [...prefixes].sort();
  const work = JSON.stringify([destination, engine, namespace, sorted, queues && [...queues].sort()]);
  const digest = createHash("sha256").update(work).digest("hex").slice(0, 16);
  return (what: string) => `${sorted[0]}:svc-${what}:${digest}`;
}

function detailsOf(workers: readonly AttachedWorker[], namespace: string): Readonly<Record<string, WorkerDetails>> {
  const details: Record<string, WorkerDetails> = {};
  for (const worker of workers) {
    if (worker.closing || !(worker.isRunning() || worker.isPaused())) continue;
    const name = nameOf(worker, namespace);
    const queues = worker.isPaused() ? [] : [labelOf(worker, namespace)];
    const known = details[name];
    details[name] = {
      hostname: hostname(),
      pid: process.pid,
      concurrency: worker.concurrency + (known?.concurrency ?? 0),
      load_average: loadavg()[0] ?? 0,
      memory_bytes: process.memoryUsage.rss(),
      active_queues: [...((known?.active_queues as readonly string[] | undefined) ?? []), ...queues],
    };
  }
  return details;
}
