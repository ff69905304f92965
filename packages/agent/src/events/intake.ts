import type { EventRecord } from "@svc/protocol";
import type { AgentLog, CursorStore, CursorUpdate, EventSink } from "../adapter.ts";
import type { DurableBuffer } from "../buffer/buffer.ts";
import { type BufferLoss, countLost, noLoss } from "../buffer/entry.ts";
import type { Clock } from "../runtime/clock.ts";
import { createThrottledLog, reasonOf, type ThrottledLog } from "../runtime/log.ts";
import { type EncodeOptions, encodeEvent, isEventRecord } from "./encode.ts";
import { buildBatches, eventLimitBytes, eventsPerFrame } from "./frame-builder.ts";

export interface IntakeDependencies extends EncodeOptions {
  readonly buffer: DurableBuffer;
  readonly clock: Clock;
  readonly log: AgentLog;
  readonly strictMode: boolean;
  /** How long an event may wait to be batched. */
  readonly windowMs: number;
  /** Called when the buffer has new entries. */
  readonly onStored: () => void;
}

interface Emission {
  readonly adapter: string;
  readonly events: readonly EventRecord[];
  readonly cursor: CursorUpdate | undefined;
  next: number;
}

/** Above this number of waiting events `emit` stores some of them synchronously, which bounds memory without losing events. */
const maxWaitingEvents = 5_000;
/** Below this number of waiting events an adapter that is catching up continues. */
const fewWaitingEvents = 2 * eventsPerFrame;
/** Storing yields the thread after this time. */
const sealBudgetMs = 8;
const maxCursorBytes = 65_536;
const maxAdapters = 32;

/**
 * Moves events into the buffer. `emit` only queues them. Within the window they are redacted, encoded and written, with their cursors, in one
 * transaction. A crash before that loses nothing: the cursor has not moved, so the adapter reads the events again. A cursor is written only
 * after every event emitted before it.
 */
export class Intake {
  #dependencies: IntakeDependencies;
  #sparse: ThrottledLog;
  #queue: Emission[] = [];
  #waitingEvents = 0;
  #emissions = 0;
  #readyWaiters: (() => void)[] = [];
  #cancelSeal: (() => void) | undefined;
  #isSealSoon = false;
  #isClosed = false;
  #latestCursors = new Map<string, string>();
  #adapterLoss = new Map<string, number>();

  constructor(dependencies: IntakeDependencies) {
    this.#dependencies = dependencies;
    this.#sparse = createThrottledLog(dependencies.log, dependencies.clock);
  }

  /** Event records lost before they reached the buffer, by adapter, since this process started. */
  get adapterLoss(): ReadonlyMap<string, number> {
    return this.#adapterLoss;
  }

  /** Events that are queued but not in the buffer yet. */
  get waitingEvents(): number {
    return this.#waitingEvents;
  }

  sinkFor(adapter: string): EventSink {
    return {
      emit: (events, cursor) => this.#emit(adapter, events, cursor),
      lost: (count, reason) => this.#lost(adapter, count, reason),
      follow: () => this.#follow(),
      ready: () => this.#ready(),
    };
  }

  /** Cursors of one adapter. Emitted ones take precedence over stored ones. */
  cursorsFor(adapter: string): CursorStore {
    return {
      get: (key) => {
        const latest = this.#latestCursors.get(cursorKey(adapter, key));
        return latest === "" ? undefined : (latest ?? this.#dependencies.buffer.cursor(cursorKey(adapter, key)));
      },
    };
  }

  /** Writes all queued events now. */
  seal(): void {
    while (this.#queue.length > 0) this.#sealPart(Number.POSITIVE_INFINITY);
  }

  /** Writes all queued events, then ignores new ones. */
  close(): void {
    this.seal();
    this.#isClosed = true;
    this.#cancelSeal?.();
  }

  #emit(adapter: string, events: readonly EventRecord[], cursor: CursorUpdate | undefined): void {
    if (this.#isClosed) return;
    if (this.#dependencies.strictMode) refuseUnreadable(events, cursor);
    try {
      const usable = cursor === undefined || Buffer.byteLength(cursor.value) <= maxCursorBytes ? cursor : undefined;
      if (usable !== cursor)
        this.#sparse("error", `cursor ${adapter}`, "dropped an adapter cursor over 64 KiB", { adapter });
      if (usable !== undefined) this.#latestCursors.set(cursorKey(adapter, usable.key), usable.value);
      const held = [...events]; // the adapter may reuse its array
      this.#queue.push({ adapter, events: held, cursor: usable, next: 0 });
      this.#emissions += 1;
      this.#waitingEvents += held.length;
      while (this.#waitingEvents >= maxWaitingEvents) this.#sealPart(sealBudgetMs);
      this.#schedule();
    } catch (error) {
      this.#sparse("error", "emit", "could not queue the events of an adapter", { adapter, reason: reasonOf(error) });
    }
  }

  #lost(adapter: string, count: number, reason: string): void {
    if (!Number.isSafeInteger(count) || count <= 0) return;
    const known = this.#adapterLoss.get(adapter);
    if (known === undefined && this.#adapterLoss.size >= maxAdapters) return;
    this.#adapterLoss.set(adapter, Math.min((known ?? 0) + count, Number.MAX_SAFE_INTEGER));
    this.#sparse("warn", `lost ${adapter} ${reason}`, "adapter lost events", { adapter, count, reason });
  }

  #ready(): Promise<void> {
    if (this.#waitingEvents < fewWaitingEvents) return Promise.resolve();
    return new Promise((resolve) => this.#readyWaiters.push(resolve));
  }

  #follow(): () => boolean {
    const last = this.#emissions;
    let haveEntriesLeft: (() => boolean) | undefined;
    return () => {
      if (this.#emissions - this.#queue.length < last) return false;
      haveEntriesLeft ??= this.#dependencies.buffer.follow();
      return haveEntriesLeft();
    };
  }

  #schedule(): void {
    if (this.#queue.length === 0) return;
    const isSoon = this.#waitingEvents >= eventsPerFrame;
    if (this.#cancelSeal !== undefined && (this.#isSealSoon || !isSoon)) return;
    this.#cancelSeal?.();
    this.#isSealSoon = isSoon;
    this.#cancelSeal = this.#dependencies.clock.after(isSoon ? 0 : this.#dependencies.windowMs, () => {
      this.#cancelSeal = undefined;
      this.#sealPart(sealBudgetMs);
      this.#schedule();
    });
  }

  /** Encodes and stores the oldest events, at most one batch and within the time budget. */
  #sealPart(budgetMs: number): void {
    const { clock, buffer, onStored } = this.#dependencies;
    const untilMs = clock.monotonicMs() + budgetMs;
    const nowMs = clock.nowMs();
    const records: string[] = [];
    const cursors = new Map<string, string>();
    let loss: BufferLoss | undefined;
    let done = 0;
    let taken = 0;
    while (taken < this.#queue.length && done < eventsPerFrame) {
      const emission = this.#queue[taken] as Emission;
      while (emission.next < emission.events.length && done < eventsPerFrame) {
        if (done % 16 === 15 && clock.monotonicMs() >= untilMs) break;
        const event = emission.events[emission.next] as EventRecord;
        emission.next += 1;
        done += 1;
        const text = this.#encode(event, emission.adapter, nowMs);
        if (text === undefined) loss = countLost(loss ?? noLoss, "event_batch", 1, "content_rejected_frames");
        else records.push(text);
      }
      if (emission.next < emission.events.length) break;
      if (emission.cursor !== undefined)
        cursors.set(cursorKey(emission.adapter, emission.cursor.key), emission.cursor.value);
      taken += 1;
    }
    this.#queue.splice(0, taken);
    this.#waitingEvents -= done;
    if (this.#waitingEvents < fewWaitingEvents) for (const wake of this.#readyWaiters.splice(0)) wake();

    const sealedAt = new Date(nowMs).toISOString();
    const add = buildBatches(records, sealedAt);
    const evicted = buffer.apply({ add, cursors, ...(loss === undefined ? {} : { loss }) });
    for (const [key, value] of cursors)
      if (value === "" && this.#latestCursors.get(key) === "") this.#latestCursors.delete(key);
    if (evicted.frames > 0) {
      this.#sparse("warn", "evicted", "buffer full, dropped the oldest events", { ...evicted });
    }
    if (add.length > 0) onStored();
  }

  /** The event's text. Undefined, with a log line, when it fits no frame. */
  #encode(event: EventRecord, adapter: string, nowMs: number): string | undefined {
    try {
      if (!isEventRecord(event)) throw new TypeError("not an event record");
      const text = encodeEvent(event, nowMs, this.#dependencies);
      if (Buffer.byteLength(text) <= eventLimitBytes) return text;
      const fields = { adapter, kind: event.kind, task_id: event.task_id };
      this.#sparse("warn", `size ${adapter}`, "dropped an event larger than a frame", fields);
    } catch (error) {
      this.#sparse("error", `encode ${adapter}`, "dropped an event that cannot be encoded", {
        adapter,
        reason: reasonOf(error),
      });
    }
    return undefined;
  }
}

function cursorKey(adapter: string, key: string): string {
  return `${adapter}:${key}`;
}

function refuseUnreadable(events: readonly EventRecord[], cursor: CursorUpdate | undefined): void {
  if (!events.every(isEventRecord)) throw new TypeError("emit received a value that is not an event record");
  if (cursor !== undefined && Buffer.byteLength(cursor.value) > maxCursorBytes) {
    throw new RangeError("the cursor is over 64 KiB");
  }
}
