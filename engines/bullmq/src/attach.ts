import { createHash } from "node:crypto";
import { hostname, loadavg } from "node:os";
import type { AdapterContext, EngineAdapter, WorkerDetails } from "@svc/agent";
import type { RedisOptions } from "ioredis";
import { type Commanding, capabilitiesOf, createCommanding, notRunning } from "./commands/commanding.ts";
import { type Listening, listenForControl } from "./control/listen.ts";
import {
  type AttachedWorker,
  labelOf,
  nameOf,
  ownerOf,
  prefixesOf,
  type WorkerPlan,
  workersOf,
} from "./control/workers.ts";
import { type BullmqOptions, defaultEngine, type Settings, settingsOnDemand } from "./options.ts";
import type { FoundQueue } from "./redis/client-list.ts";
import { type Connections, openConnections } from "./redis/connection.ts";
import { takeTurns } from "./redis/lease.ts";
import { queueNames } from "./redis/names.ts";
import { createCursorRelay } from "./watching/cursor-relay.ts";
import { createDiscovery } from "./watching/discovery.ts";
import { begunWithin, createObserver, type Observer } from "./watching/observer.ts";

export interface AttachOptions extends Omit<BullmqOptions, "redis"> {
  /** Where the queues live: URL or connection options, never a client instance. */
  readonly redis: string | RedisOptions;
  /** The workers of this process. */
  readonly workers: readonly AttachedWorker[];
  /** Makes a worker with your own processor, for an operator who restarts one or lets it take from one more queue. */
  readonly createWorker?: (plan: WorkerPlan) => AttachedWorker | Promise<AttachedWorker>;
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
 * Watching writes three things to Redis: the lease and the shared positions (`<first prefix>:svc-lease:…`,
 * `<first prefix>:svc-cursors:…`) and the stream caps. Commands are carried out by whichever process gets them; one that concerns a
 * worker reaches the process of that worker over the channel `<prefix>:svc-control`.
 *
 * Never throws; an option out of its bounds is named by the TypeError with which `start` rejects.
 */
export function attachBullmq({ workers, createWorker, ...options }: AttachOptions): EngineAdapter {
  const owner = ownerOf(Array.isArray(workers) ? workers : [], { ...options, createWorker });
  const demand = settingsOnDemand(() => {
    if (!Array.isArray(workers)) throw new TypeError("workers: the workers of this process, a list");
    return { ...options, prefixes: options.prefixes ?? prefixesOf(workers) };
  });
  let stopping: AbortController | undefined;
  let done: Promise<void> | undefined;
  let connections: Connections | undefined;
  let observerOfTurn: Observer | undefined;
  let commanding: Commanding | undefined;
  let listening: Listening | undefined;

  async function start(context: AdapterContext): Promise<void> {
    if (stopping) return;
    const settings = demand();
    const stop = new AbortController();
    stopping = stop;
    const opened = openConnections(settings.redis, context.log);
    connections = opened;
    const hasWorkers = () => workersOf(owner).length > 0;
    const look = createDiscovery(opened.asking.redis, settings.prefixes, context.log);
    const knownQueues = async () => observerOfTurn?.queues() ?? (await findQueues(settings, look));
    commanding = createCommanding({ settings, connection: opened.asking, sink: context.sink, knownQueues, hasWorkers });
    void opened.asking.ready(stop.signal).then(commanding.look, () => {}); // early: the agent says hello meanwhile
    if (settings.commands) listening = listenForControl(settings, opened.asking, owner, context.log);
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
    await commanding.look();
  }

  return {
    name: options.engine ?? defaultEngine,
    capabilities: () => capabilitiesOf(demand, commanding),
    start,
    async stop() {
      const ending = stopping;
      stopping = undefined;
      ending?.abort();
      listening?.close();
      listening = undefined;
      await commanding?.close();
      commanding = undefined;
      await done;
      done = undefined;
      connections?.close();
      connections = undefined;
    },
    async snapshot() {
      const seen = (await observerOfTurn?.snapshot()) ?? {};
      await commanding?.look();
      const own = detailsOf(workersOf(owner), demand().namespace);
      return { ...seen, worker_details: { ...seen.worker_details, ...own } };
    },
    depth: async (queue) => await commanding?.depth(queue),
    execute: async (command) => (commanding ? await commanding.execute(command) : notRunning),
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

/** What a process that does not read the streams knows of queues: those it was told of, else what one look finds. */
async function findQueues({ prefixes, queues, namespace }: Settings, look: () => Promise<readonly FoundQueue[]>) {
  const found = queues?.flatMap((queue) => prefixes.map((prefix) => ({ prefix, queue }))) ?? (await look());
  const names = found.map(({ prefix, queue }) => queueNames(prefix, queue, namespace));
  return [...new Map(names.map((one) => [one.source, one])).values()];
}
