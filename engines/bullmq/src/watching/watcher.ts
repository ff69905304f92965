import type { AdapterContext, AgentLog } from "@svc/agent";
import { createReconcile } from "../events/reconcile.ts";
import { createTranslator } from "../events/translate.ts";
import { createFamily } from "../jobs/family.ts";
import { createHydrator } from "../jobs/hydrate.ts";
import type { FactsMemory } from "../jobs/job-facts.ts";
import type { Settings } from "../options.ts";
import { type Connection, networkFaultOf } from "../redis/connection.ts";
import { type QueueNames, queueNames } from "../redis/names.ts";
import { pause } from "../redis/pause.ts";
import type { QueueWatch } from "../stream/queue-watch.ts";
import { createBatchReader, groupsOf, type StreamBatch } from "../stream/read-batch.ts";
import { readCursor, type StoredCursor, writeCursor } from "../stream/stored-cursor.ts";
import { createStreamCap } from "../stream/stream-cap.ts";
import { msOf, readEntry } from "../stream/stream-entry.ts";
import { createContinuity, positionAfter } from "./continuity.ts";
import { createDiscovery } from "./discovery.ts";

const faultPauseMs = 500;
const longestTaskId = 200;
const mostQueues = 5000;
/** Twice what clocks of workers may differ from that of Redis. */
const recentEndsMs = 4000;

export interface WatcherParts {
  readonly settings: Settings;
  /** For XREAD alone. */
  readonly reading: Connection;
  /** For everything else. */
  readonly asking: Connection;
  readonly memory: FactsMemory;
  readonly context: AdapterContext;
  /** Where processes that take turns in reading tell each other how far they came. */
  readonly relay?: CursorRelay;
  /** Stream entries taken in before the thread is handed back; a host application wants them few, reading wants them many. */
  readonly entriesAtOnce?: number;
}

export interface CursorRelay {
  /** The cursor to begin at, given this process's own one. */
  pick(names: Pick<QueueNames, "cursorKey">, own: StoredCursor | undefined): Promise<StoredCursor | undefined>;
  /** Told after events and cursor of a queue are in the buffer. */
  note(cursorKey: string, cursor: string): void;
}

export interface Watcher {
  /** Reads until the signal aborts; faults are retried inside. Resolves when everything is put down. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when every queue found at the first look is being watched. */
  readonly began: Promise<void>;
  readonly watches: readonly QueueWatch[];
}

/**
 * The side-car's life. One loop looks for queues; one loop, in turns, takes in the queues found, checks that no stream lost what was
 * not read, reads, looks jobs up, and hands events and position to the buffer together. Nothing is kept outside these turns, so a turn
 * that fails (Redis went away) is simply done again from the same position.
 */
export function createWatcher(parts: WatcherParts): Watcher {
  const { settings, reading, asking, memory, context, relay, entriesAtOnce = 10_000 } = parts;
  const { sink, cursors, log } = context;
  const { redis } = asking;
  const hydrate = createHydrator(redis);
  const family = createFamily(redis);
  const reconcile = createReconcile({ redis, settings, memory, hydrate, family, sink, log });
  const continuity = createContinuity({ redis, settings, memory, sink, log, reconcile });
  const translate = createTranslator({ settings, memory, hydrate, family, log });
  const look = createDiscovery(redis, settings.prefixes, log);
  const raiseCaps = settings.streamCap && createStreamCap(redis, settings.streamCap, log);
  const reader = createBatchReader(reading.redis, entriesAtOnce);
  const watches: QueueWatch[] = [];
  const known = new Set<string>();
  const found: { prefix: string; queue: string }[] = [];
  const began = Promise.withResolvers<void>();
  let hasLooked = false;
  /** Whether it was told that there are more queues than can be watched. */
  let isFull = false;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checkedEpochs = "";

  async function run(signal: AbortSignal): Promise<void> {
    await Promise.all([repeat("looking for queues", signal, discover), repeat("reading events", signal, turn)]);
    saveWithEnds();
    began.resolve();
  }

  async function discover(signal: AbortSignal): Promise<void> {
    await asking.ready(signal);
    const { prefixes, queues } = settings;
    const named = queues?.flatMap((queue) => prefixes.map((prefix) => ({ prefix, queue })));
    for (const queue of named ?? (await look())) {
      const source = `${queue.prefix}:${queue.queue}`;
      if (known.has(source)) continue;
      if (known.size >= mostQueues) {
        if (!isFull) log.warn("too many queues, the newest are not watched", { limit: mostQueues, first: source });
        isFull = true;
        break;
      }
      known.add(source);
      found.push(queue);
    }
    hasLooked = true;
    await pause(settings.discoverEveryMs, signal);
  }

  async function turn(signal: AbortSignal): Promise<void> {
    await Promise.all([reading.ready(signal), asking.ready(signal)]);
    await takeIn();
    await checkWhenDue();
    if (watches.length === 0) return pause(50, signal);
    const batches = await reader.read(watches);
    for (const group of groupsOf(batches, entriesAtOnce)) {
      // The server that answered may have restarted in between: positions are judged before its entries are taken.
      if (epochs() !== checkedEpochs) return;
      await take(group);
      if (parts.entriesAtOnce !== undefined) await sink.room();
    }
    if (reader.pauseMs > 0) await pause(reader.pauseMs, signal);
  }

  async function takeIn(): Promise<void> {
    const looked = hasLooked;
    while (found.length > 0) {
      const next = found[0] as { prefix: string; queue: string };
      const names = queueNames(next.prefix, next.queue, settings.namespace);
      const own = readCursor(cursors.get(names.cursorKey));
      const stored = relay ? await relay.pick(names, own) : own;
      const watch = await continuity.begin(names, stored);
      if (stored) await continuity.check([watch]);
      watches.push(watch);
      found.shift();
      log.info("watching a queue", { queue: names.source, from: watch.position.lastId });
    }
    if (looked) began.resolve();
  }

  async function checkWhenDue(): Promise<void> {
    const now = performance.now();
    const present = epochs();
    if (now - checkedAt < settings.checkEveryMs && checkedEpochs === present) return;
    const gone = await continuity.check(watches);
    if (!settings.queues) for (const watch of gone) drop(watch);
    await raiseCaps?.(watches, reader.averageChars);
    save();
    checkedAt = now;
    checkedEpochs = present;
  }

  function epochs(): string {
    return `${reading.epoch}/${asking.epoch}`;
  }

  async function take(batches: readonly StreamBatch[]): Promise<void> {
    const readable = batches.map(({ watch, entries }) => ({
      watch,
      entries: entries.flatMap((entry) => readEntry(entry) ?? []),
    }));
    const { events, unreadable } = await translate(readable);
    if (unreadable > 0) sink.lost(unreadable, "unreadable_entry");
    for (const [index, { watch, entries }] of batches.entries()) {
      const fitting = (events[index] ?? []).filter((event) => event.task_id.length <= longestTaskId);
      const misfits = (events[index]?.length ?? 0) - fitting.length;
      if (misfits > 0) sink.lost(misfits, "task_id_too_long");
      if (fitting.length > 0) emit(watch, fitting, entries);
      else watch.isUnsaved = true;
      await continuity.advance(watch, entries);
    }
  }

  function emit(watch: QueueWatch, events: Parameters<typeof sink.emit>[0], entries: StreamBatch["entries"]): void {
    const value = writeCursor(positionAfter(watch, entries), watch.starts);
    sink.emit(events, { key: watch.names.cursorKey, value });
    watch.isUnsaved = false;
    relay?.note(watch.names.cursorKey, value);
  }

  /** Positions that moved without events wait here: they cost nothing to read again. */
  function save(): void {
    for (const watch of watches) {
      if (watch.isUnsaved) store(watch, writeCursor(watch.position, watch.starts));
    }
  }

  /** The last positions of this run, with what ended shortly before them. */
  function saveWithEnds(): void {
    const byQueue = new Map(watches.map((watch) => [watch.names.source, { watch, ended: new Map<string, number>() }]));
    for (const { source, jobId, starts, endedMs } of memory.all()) {
      const queue = byQueue.get(source);
      if (!queue || endedMs === undefined || endedMs < msOf(queue.watch.position.lastId) - recentEndsMs) continue;
      queue.ended.set(jobId, starts);
    }
    for (const { watch, ended } of byQueue.values()) {
      if (ended.size > 0 || watch.isUnsaved) store(watch, writeCursor(watch.position, watch.starts, ended));
    }
  }

  function store(watch: QueueWatch, value: string): void {
    sink.emit([], { key: watch.names.cursorKey, value });
    watch.isUnsaved = false;
    relay?.note(watch.names.cursorKey, value);
  }

  function drop(watch: QueueWatch): void {
    watches.splice(watches.indexOf(watch), 1);
    known.delete(watch.names.source);
    isFull = false;
    store(watch, "");
    log.info("a queue is gone", { queue: watch.names.source });
  }

  /** Does a step again and again; tells a fault once, and again only after it worked in between. */
  async function repeat(
    what: string,
    signal: AbortSignal,
    step: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    let told = "";
    while (!signal.aborted) {
      try {
        await step(signal);
        told = "";
      } catch (fault) {
        if (signal.aborted) return;
        told = tell(log, what, fault, told);
        await pause(faultPauseMs, signal).catch(() => {});
      }
    }
  }

  return { run, began: began.promise, watches };
}

/** Command errors of ioredis hold the arguments, and those hold payloads: only the message's first line is told. */
function tell(log: AgentLog, what: string, fault: unknown, told: string): string {
  const text = fault instanceof Error ? (networkFaultOf(fault) ?? fault.message) : String(fault);
  const reason = text.split("\n", 1)[0]?.slice(0, 200) ?? "";
  if (reason !== told) log.warn(`${what} failed, trying again`, { reason });
  return reason;
}
