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
/** Twice what clocks of workers may differ from that of Redis. */
const recentEndsMs = 4000;

export interface WatcherParts {
  readonly settings: Settings;
  readonly connections: Connections;
  readonly context: AdapterContext;
  /** Where processes that take turns in reading tell each other how far they came. */
  readonly relay?: CursorRelay;
  /** Stream entries taken in before the thread is handed back; a host application wants them few, reading wants them many. */
  readonly entriesAtOnce?: number;
}

export interface CursorRelay {
  /** The cursor to begin at, given this process's own one. */
  pick(names: Pick<QueueNames, "cursorKey">, own: StoredCursor | undefined): Promise<StoredCursor | undefined>;
  /** Called after events and cursor of a queue are in the buffer. */
  note(cursorKey: string, cursor: string): void;
}

/**
 * Watches every queue of one Redis. One loop looks for queues; one loop, in turns, takes in the queues found, checks that no stream lost
 * what was not read, reads, looks jobs up, and hands events and position to the buffer together. Nothing is kept outside these turns, so a
 * turn that fails (Redis went away) is simply done again from the same position.
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
  #hasLooked = false;
  /** Whether it was logged that there are more queues than can be watched. */
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

  /** Reads until the signal aborts; faults are retried inside. Resolves when everything is put down. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#repeat("looking for queues", signal, () => this.#discover(signal)),
      this.#repeat("reading events", signal, () => this.#turn(signal)),
    ]);
    this.#saveWithEnds();
    this.#began.resolve();
  }

  /** Resolves when every queue found at the first look is being watched. */
  get began(): Promise<void> {
    return this.#began.promise;
  }

  /** Those being watched. */
  queues(): readonly QueueNames[] {
    return this.#watches.map(({ names }) => names);
  }

  /** What there is now of the queues being watched. */
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
        if (!this.#isFull) this.#context.log.warn("too many queues, the newest are not watched", facts);
        this.#isFull = true;
        break;
      }
      this.#known.add(source);
      this.#found.push(queue);
    }
    this.#hasLooked = true;
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
      // The server that answered may have restarted in between: positions are judged before its entries are taken.
      if (this.#epochs() !== this.#checkedEpochs) return;
      await this.#take(group);
      if (this.#isGuest) await this.#context.sink.ready();
    }
    if (this.#reader.pauseMs > 0) await pause(this.#reader.pauseMs, signal);
  }

  async #takeIn(): Promise<void> {
    const looked = this.#hasLooked;
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
    if (looked) this.#began.resolve();
  }

  async #checkWhenDue(): Promise<void> {
    const now = performance.now();
    const epochs = this.#epochs();
    if (now - this.#checkedAt < this.#settings.checkEveryMs && this.#checkedEpochs === epochs) return;
    const gone = await this.#continuity.check(this.#watches);
    if (!this.#settings.queues) for (const watch of gone) this.#drop(watch);
    await this.#raiseCaps?.(this.#watches, this.#reader.averageChars);
    // Positions that moved without events wait for this moment: they cost nothing to read again.
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

  /** The last positions of this run, with what ended shortly before them. */
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
    this.#context.log.info("a queue is gone", { queue: watch.names.source });
  }

  /** Does a step again and again; logs a fault once, and again only after it worked in between. */
  async #repeat(what: string, signal: AbortSignal, step: () => Promise<void>): Promise<void> {
    let logged = "";
    while (!signal.aborted) {
      try {
        await step();
        logged = "";
      } catch (fault) {
        if (signal.aborted) return;
        const reason = reasonOf(fault);
        if (reason !== logged) this.#context.log.warn(`${what} failed, trying again`, { reason });
        logged = reason;
        await pause(faultPauseMs, signal).catch(() => {});
      }
    }
  }
}

/** Command errors of ioredis hold the arguments, and those hold payloads: only the message's first line is logged. */
function reasonOf(fault: unknown): string {
  const text = fault instanceof Error ? (networkFaultOf(fault) ?? fault.message) : String(fault);
  return text.split("\n", 1)[0]?.slice(0, 200) ?? "";
}
