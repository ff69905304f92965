import { createHash } from "node:crypto";
import { hostname, loadavg } from "node:os";
import type { AdapterContext, EngineAdapter, WorkerDetails } from "@svc/agent";
import type { RedisOptions } from "ioredis";
import { type Connections, openConnections } from "./connection.ts";
import { createCursorRelay } from "./cursor-relay.ts";
import { takeTurns } from "./lease.ts";
import { queueNames } from "./names.ts";
import { begunWithin, createObserver, type Observer } from "./observer.ts";
import { type BullmqOptions, defaultEngine, type Settings, settingsOnDemand } from "./options.ts";

/** The part of a BullMQ worker, of either major, that is looked at. */
export interface AttachedWorker {
  /** Name of the queue. */
  readonly name: string;
  readonly opts: { readonly name?: string; readonly prefix?: string };
  readonly concurrency: number;
  isRunning(): boolean;
}

export interface AttachOptions extends Omit<BullmqOptions, "redis"> {
  /** Where the queues live: URL or connection options, never a client instance. */
  readonly redis: string | RedisOptions;
  /** The workers of this process. */
  readonly workers: readonly AttachedWorker[];
}

/** The lease may be another process's for long; start() does not wait for it. */
const startBoundMs = 1000;
/** Keeps the host's thread for some milliseconds at a time while a backlog is read. */
const entriesAtOnce = 500;

/**
 * The adapter inside an application's process. It reads the same streams as the side-car and makes the same events, in one process at a
 * time: of the processes that would read the same queues for the same agent, whoever holds a lease key in Redis reads them, the others
 * only report what they alone know about their workers (process, host, concurrency). When the holder ends, another one goes on within
 * about ten seconds where it left off.
 *
 * Writes three things to Redis: the lease and the shared positions (`<first prefix>:svc-lease:…`, `<first prefix>:svc-cursors:…`) and
 * the stream caps.
 *
 * Never throws; an option out of its bounds is named by the TypeError with which `start` rejects.
 */
export function attachBullmq({ workers, ...options }: AttachOptions): EngineAdapter {
  const demand = settingsOnDemand(() => {
    if (!Array.isArray(workers)) throw new TypeError("workers: the workers of this process, a list");
    const prefixes = options.prefixes ?? [...new Set(workers.map((worker) => worker.opts.prefix ?? "bull"))];
    return { ...options, prefixes: prefixes.length === 0 ? ["bull"] : prefixes };
  });
  let stopping: AbortController | undefined;
  let done: Promise<void> | undefined;
  let connections: Connections | undefined;
  let observerOfTurn: Observer | undefined;

  async function start(context: AdapterContext): Promise<void> {
    if (stopping) return;
    const settings = demand();
    const stop = new AbortController();
    stopping = stop;
    const opened = openConnections(settings.redis, context.log);
    connections = opened;
    const keyOf = sharedKeys(settings, context.destination);
    const { relay, flush } = createCursorRelay(opened.asking.redis, keyOf("cursors"), context.sink);
    const firstTurn = Promise.withResolvers<void>();
    const whileHeld = async (signal: AbortSignal) => {
      const observer = createObserver({ settings, connections: opened, context, relay, entriesAtOnce });
      observerOfTurn = observer;
      context.log.info("this process reads the event streams now");
      observer.began.then(firstTurn.resolve);
      await observer.run(signal);
      observerOfTurn = undefined;
    };
    done = takeTurns(opened.asking, keyOf("lease"), { whileHeld, onRenew: flush }, stop.signal);
    await begunWithin(firstTurn.promise, startBoundMs);
  }

  return {
    name: options.engine ?? defaultEngine,
    capabilities: () => [],
    start,
    async stop() {
      const ending = stopping;
      stopping = undefined;
      ending?.abort();
      await done;
      done = undefined;
      connections?.close();
      connections = undefined;
    },
    async snapshot() {
      const seen = (await observerOfTurn?.snapshot()) ?? {};
      const own = detailsOf(workers, demand().namespace);
      return { ...seen, worker_details: { ...seen.worker_details, ...own } };
    },
  };
}

/**
 * Names of what processes share. Only processes whose reader would do the same work for the same agent take turns: of others, one would
 * wait for ever while what it alone watches is read by nobody. Where two overlap, both make the same events, which is harmless.
 */
function sharedKeys({ engine, namespace, prefixes, queues }: Settings, destination: string) {
  const sorted = [...prefixes].sort();
  const work = JSON.stringify([destination, engine, namespace, sorted, queues && [...queues].sort()]);
  const digest = createHash("sha256").update(work).digest("hex").slice(0, 16);
  return (what: string) => `${sorted[0]}:svc-${what}:${digest}`;
}

/** Only a worker with a name shows in events; the others are called by host, process and queue. */
function detailsOf(workers: readonly AttachedWorker[], namespace: string): Readonly<Record<string, WorkerDetails>> {
  const details: Record<string, WorkerDetails> = {};
  for (const worker of workers) {
    const { label } = queueNames(worker.opts.prefix ?? "bull", worker.name, namespace);
    if (!worker.isRunning()) continue;
    details[worker.opts.name ?? `${hostname()}:${process.pid}:${label}`] = {
      hostname: hostname(),
      pid: process.pid,
      concurrency: worker.concurrency,
      load_average: loadavg()[0] ?? 0,
      memory_bytes: process.memoryUsage.rss(),
      active_queues: [label],
    };
  }
  return details;
}
