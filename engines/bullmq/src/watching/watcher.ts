import type { AdapterContext, AdapterSnapshot } from "@svc/agent";
import type { EventRecord } from "@svc/protocol";
import { createReconcile } from "../events/reconcile.ts";
import { createTranslator } from "../events/translate.ts";
import { createFamily } from "../jobs/family.ts";
import { createHydrator } from "../jobs/hydrate.ts";
import { FactsMemory } from "../jobs/job-facts.ts";
import type { Settings } from "../options.ts";
import type { FoundQueue } from "../redis/client-list.ts";
import { type Connections, networkFaultOf, pause } from "../redis/connection.ts";
import { type QueueNames, queueNames } from "../redis/names.ts";
import { createBatchReader, groupsOf, type StreamBatch } from "../stream/read-batch.ts";
import { readCursor, type StoredCursor, writeCursor } from "../stream/stored-cursor.ts";
import { createStreamCap } from "../stream/stream-cap.ts";
import { msOf, readEntry } from "../stream/stream-entry.ts";
import type { QueueWatch } from "../stream/stream-position.ts";
import { createContinuity, positionAfter } from "./continuity.ts";
import { createDiscovery } from "./discovery.ts";
import { createSnapshot } from "./snapshot.ts";

const faultPauseMs = 500;
const longestTaskId = 200;
const mostQueues = 5000;
/** Twice the expected difference between the clocks of workers and Redis. */
const recentEndsMs = 4000;

export interface WatcherParts {
  readonly settings: Settings;
  readonly connections: Connections;
  readonly context: AdapterContext;
  /** Shares positions between processes that share a lease. */
  readonly relay?: CursorRelay;
  /** Stream entries to process before yielding the thread: fewer are better for a host application, more for throughput. */
  readonly entriesAtOnce?: number;
}

export interface CursorRelay {
  /** Chooses the cursor to begin at, given this process's own cursor. */
  pick(names: Pick<QueueNames, "cursorKey">, own: StoredCursor | undefined): Promise<StoredCursor | undefined>;
  /** Called after a queue's events and cursor are in the buffer. */
  note(cursorKey: string, cursor: string): void;
}

/**
 * Watches all queues of one Redis. One loop discovers queues. Each turn of the other loop adds discovered queues, checks the streams for
 * losses, reads entries and their jobs, and passes events and position to the buffer together. No state is kept outside a turn, so a
 * failed turn (Redis disconnected) is repeated from the same position.
 */
export class Watcher {
  readonly #settings: Settings;
  readonly #connections: Connections;
  readonly #context: AdapterContext;
  readonly #relay: CursorRelay | undefined;
  readonly #entriesAtOnce: number;
  /** Whether an application shares the thread. */
  readonly #isGuest: boolean;
  readonly #memory: FactsMemory;
  readonly #continuity: ReturnType<typeof createContinuity>;
  readonly #translate: ReturnType<typeof createTranslator>;
  readonly #findQueues: ReturnType<typeof createDiscovery>;
  readonly #raiseCaps: ReturnType<typeof createStreamCap> | undefined;
  readonly #reader: ReturnType<typeof createBatchReader>;
  readonly #readSnapshot: ReturnType<typeof createSnapshot>;
  readonly #watches: QueueWatch[] = [];
  readonly #known = new Set<string>();
  readonly #found: FoundQueue[] = [];
  readonly #began = Promise.withResolvers<void>();
  readonly #foundAll = Promise.withResolvers<void>();
  #hasScanned = false;
  #hasSeenAll = false;
  /** Whether the limit on watched queues was logged. */
  #isFull = false;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #checkedEpochs = "";

  constructor({ settings, connections, context, relay, entriesAtOnce }: WatcherParts) {
    this.#settings = settings;
    this.#connections = connections;
    this.#context = context;
    this.#relay = relay;
    this.#entriesAtOnce = entriesAtOnce ?? 10_000;
    this.#isGuest = entriesAtOnce !== undefined;
    this.#memory = new FactsMemory(settings.rememberedTasks);
    const { redis } = connections.asking;
    const { sink, log } = context;
    const hydrate = createHydrator(redis);
    const parts = { redis, settings, memory: this.#memory, hydrate, sink, log };
    const readLineages = createFamily(redis, settings.namespace);
    const reconcile = createReconcile({ ...parts, readLineages });
    this.#continuity = createContinuity({ ...parts, reconcile });
    this.#translate = createTranslator({ ...parts, readLineages });
    this.#findQueues = createDiscovery(redis, settings.prefixes, log);
    this.#raiseCaps = settings.streamCap && createStreamCap(redis, settings.streamCap, log);
    this.#reader = createBatchReader(connections.reading.redis, this.#entriesAtOnce);
    this.#readSnapshot = createSnapshot(parts);
  }

  /** Reads until the signal aborts, and retries after errors. Resolves when everything is saved. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#repeat("discovering queues", signal, () => this.#discover(signal)),
      this.#repeat("reading events", signal, () => this.#turn(signal)),
    ]);
    this.#saveWithEnds();
    this.#began.resolve();
    this.#foundAll.resolve();
  }

  /** Resolves when all queues found by the first scan are watched. */
  get began(): Promise<void> {
    return this.#began.promise;
  }

  /** Resolves when all queues that exist are watched, which takes up to a minute among many keys, and when watching ends. */
  get foundAll(): Promise<void> {
    return this.#foundAll.promise;
  }

  /** The watched queues. */
  queues(): readonly QueueNames[] {
    return this.#watches.map(({ names }) => names);
  }

  /** The present state of the watched queues. */
  snapshot(): Promise<AdapterSnapshot> {
    return this.#readSnapshot(this.#watches);
  }

  async #discover(signal: AbortSignal): Promise<void> {
    await this.#connections.asking.ready(signal);
    const { prefixes, queues, discoverEveryMs } = this.#settings;
    const named = queues?.flatMap((queue) => prefixes.map((prefix) => ({ prefix, queue })));
    for (const queue of named ?? (await this.#findQueues())) {
      const source = `${queue.prefix}:${queue.queue}`;
      if (this.#known.has(source)) continue;
      if (this.#known.size >= mostQueues) {
        const facts = { limit: mostQueues, first: source };
        if (!this.#isFull) this.#context.log.warn("too many queues; the newest are not watched", facts);
        this.#isFull = true;
        break;
      }
      this.#known.add(source);
      this.#found.push(queue);
    }
    this.#hasScanned = true;
    this.#hasSeenAll ||= named !== undefined || this.#findQueues.hasSeenAll();
    await pause(discoverEveryMs, signal);
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { reading, asking } = this.#connections;
    await Promise.all([reading.ready(signal), asking.ready(signal)]);
    await this.#takeIn();
    await this.#checkWhenDue();
    if (this.#watches.length === 0) return pause(50, signal);
    const batches = await this.#reader.read(this.#watches);
    for (const group of groupsOf(batches, this.#entriesAtOnce)) {
      // The server may have restarted in between: check the positions before processing its entries.
      if (this.#epochs() !== this.#checkedEpochs) return;
      await this.#take(group);
      if (this.#isGuest) await this.#context.sink.ready();
    }
    if (this.#reader.pauseMs > 0) await pause(this.#reader.pauseMs, signal);
  }

  async #takeIn(): Promise<void> {
    const [hasScanned, hasSeenAll] = [this.#hasScanned, this.#hasSeenAll];
    for (let next = this.#found[0]; next !== undefined; next = this.#found[0]) {
      const names = queueNames(next.prefix, next.queue, this.#settings.namespace);
      const own = readCursor(this.#context.cursors.get(names.cursorKey));
      const stored = this.#relay ? await this.#relay.pick(names, own) : own;
      const watch = await this.#continuity.begin(names, stored);
      if (stored) await this.#continuity.check([watch]);
      this.#watches.push(watch);
      this.#found.shift();
      this.#context.log.info("watching a queue", { queue: names.source, from: watch.position.lastId });
    }
    if (hasScanned) this.#began.resolve();
    if (hasSeenAll) this.#foundAll.resolve();
  }

  async #checkWhenDue(): Promise<void> {
    const now = performance.now();
    const epochs = this.#epochs();
    if (now - this.#checkedAt < this.#settings.checkEveryMs && this.#checkedEpochs === epochs) return;
    const removed = await this.#continuity.check(this.#watches);
    if (!this.#settings.queues) for (const watch of removed) this.#drop(watch);
    await this.#raiseCaps?.(this.#watches, this.#reader.averageChars);
    // Positions that advanced without events are saved only here: reading them again costs nothing.
    for (const watch of this.#watches)
      if (watch.isUnsaved) this.#store(watch, writeCursor(watch.position, watch.starts));
    this.#checkedAt = now;
    this.#checkedEpochs = epochs;
  }

  #epochs(): string {
    return `${this.#connections.reading.epoch}/${this.#connections.asking.epoch}`;
  }

  async #take(batches: readonly StreamBatch[]): Promise<void> {
    const { sink } = this.#context;
    const readable = batches.map(({ watch, entries }) => ({
      watch,
      entries: entries.flatMap((entry) => readEntry(entry) ?? []),
    }));
    const { events, unreadable } = await this.#translate(readable);
    if (unreadable > 0) sink.lost(unreadable, "unreadable_entry");
    for (const [index, { watch, entries }] of batches.entries()) {
      const fitting = (events[index] ?? []).filter((event) => event.task_id.length <= longestTaskId);
      const misfits = (events[index]?.length ?? 0) - fitting.length;
      if (misfits > 0) sink.lost(misfits, "task_id_too_long");
      if (fitting.length > 0) this.#store(watch, writeCursor(positionAfter(watch, entries), watch.starts), fitting);
      else watch.isUnsaved = true;
      await this.#continuity.advance(watch, entries);
    }
  }

  #store(watch: QueueWatch, value: string, events: readonly EventRecord[] = []): void {
    this.#context.sink.emit(events, { key: watch.names.cursorKey, value });
    watch.isUnsaved = false;
    this.#relay?.note(watch.names.cursorKey, value);
  }

  /** Saves the last positions of this run, with the jobs that ended shortly before them. */
  #saveWithEnds(): void {
    const byQueue = new Map(
      this.#watches.map((watch) => [watch.names.source, { watch, ended: new Map<string, number>() }]),
    );
    for (const { source, jobId, starts, endedMs } of this.#memory.all()) {
      const queue = byQueue.get(source);
      if (!queue || endedMs === undefined || endedMs < msOf(queue.watch.position.lastId) - recentEndsMs) continue;
      queue.ended.set(jobId, starts);
    }
    for (const { watch, ended } of byQueue.values()) {
      if (ended.size > 0 || watch.isUnsaved) this.#store(watch, writeCursor(watch.position, watch.starts, ended));
    }
  }

  #drop(watch: QueueWatch): void {
    this.#watches.splice(this.#watches.indexOf(watch), 1);
    this.#known.delete(watch.names.source);
    this.#isFull = false;
    this.#store(watch, "");
    this.#context.log.info("a queue was removed", { queue: watch.names.source });
  }

  /** Repeats a step; logs an error once, and again only after a success in between. */
  async #repeat(what: string, signal: AbortSignal, step: () => Promise<void>): Promise<void> {
    let logged = "";
    while (!signal.aborted) {
      try {
        await step();
        logged = "";
      } catch (fault) {
        if (signal.aborted) return;
        const reason = reasonOf(fault);
        if (reason !== logged) this.#context.log.warn(`${what} failed, retrying`, { reason });
        logged = reason;
        await pause(faultPauseMs, signal).catch(() => {});
      }
    }
  }
}

/** Command errors of ioredis contain arguments and thereby payloads: only the first line of the message is logged. */
function reasonOf(fault: unknown): string {
  const text = fault instanceof Error ? (networkFaultOf(fault) ?? fault.message) : String(fault);
  return text.split("\n", 1)[0]?.slice(0, 200) ?? "";
}
