import { wireTimes } from "@svc/protocol";
import type { Clock } from "../runtime/clock.ts";
import type { DurableBuffer } from "./buffer.ts";
import type { BufferEntry, NewEntry } from "./entry.ts";
import type { Lane, StoreLimits } from "./store.ts";

interface InFlight {
  readonly entry: BufferEntry;
  readonly takenAtMs: number;
}

const settleAfterMs = 100;
const settleAtCount = 256;

/** Maximum number of entries per round. */
export const roundEntries = 500;

/**
 * Tracks which buffer entries are in flight. `take` returns each entry once, oldest first, command replies before events. Confirming an
 * entry removes it. Releasing it or missing its deadline makes it due again. A batch keeps its frame id whenever it is sent.
 */
export class Drain {
  #buffer: DurableBuffer;
  #clock: Clock;
  #inFlight = new Map<number, InFlight>();
  #inFlightBytes = 0;
  /** Batches in flight by frame id. Replies are not listed: ack and result of a command share an id, and the brain does not acknowledge them. */
  #batches = new Map<string, number>();
  #dueAgain: BufferEntry[] = [];
  #after: Record<Lane, number> = { control: 0, events: 0 };
  #generation: number;
  #confirmed: number[] = [];
  #cancelSettle: (() => void) | undefined;

  constructor(buffer: DurableBuffer, clock: Clock) {
    this.#buffer = buffer;
    this.#clock = clock;
    this.#generation = buffer.generation;
  }

  get inFlightCount(): number {
    return this.#inFlight.size;
  }

  get inFlightBytes(): number {
    return this.#inFlightBytes;
  }

  /** The next entries to send, now in flight. Empty when nothing is due. */
  take(limits: StoreLimits): BufferEntry[] {
    this.#follow();
    const taken: BufferEntry[] = [];
    let sizeBytes = 0;
    const isFull = (): boolean => taken.length >= limits.maxEntries || sizeBytes >= limits.maxBytes;
    const accept = (entry: BufferEntry): void => {
      taken.push(entry);
      sizeBytes += entry.sizeBytes;
      this.#inFlight.set(entry.seq, { entry, takenAtMs: this.#clock.monotonicMs() });
      this.#inFlightBytes += entry.sizeBytes;
      if (entry.type === "event_batch") this.#batches.set(entry.frameId, entry.seq);
    };

    while (this.#dueAgain.length > 0 && !isFull()) accept(this.#dueAgain.shift() as BufferEntry);
    for (const lane of ["control", "events"] as const) {
      if (isFull()) break;
      const remaining = { maxEntries: limits.maxEntries - taken.length, maxBytes: limits.maxBytes - sizeBytes };
      for (const entry of this.#buffer.read(lane, this.#after[lane], remaining)) {
        this.#after[lane] = entry.seq;
        accept(entry);
      }
    }
    return taken;
  }

  /** Handles the brain's ack of a batch. False for an id that is not in flight. */
  confirmBatch(frameId: string): boolean {
    this.#follow();
    const seq = this.#batches.get(frameId);
    if (seq === undefined) return false;
    this.#confirmSeq(seq);
    return true;
  }

  /** Marks an entry as delivered. */
  confirm(entry: BufferEntry): void {
    this.#follow();
    if (this.#inFlight.has(entry.seq)) this.#confirmSeq(entry.seq);
  }

  /** Removes confirmed entries from the buffer. After a crash before this, they are only sent again. */
  settle(): void {
    this.#cancelSettle?.();
    this.#cancelSettle = undefined;
    this.#follow();
    const remove = this.#confirmed.splice(0);
    if (remove.length > 0) this.#buffer.apply({ remove });
  }

  /** Drops an entry that fits no frame and counts it as rejected for its content. */
  reject(entry: BufferEntry): void {
    this.#withdraw(entry);
    this.#buffer.reject(entry, "content_rejected_frames");
  }

  /** Replaces one entry by others, at the end of the buffer. */
  replace(entry: BufferEntry, add: readonly NewEntry[]): void {
    this.#withdraw(entry);
    this.#buffer.apply({ remove: [entry.seq], add });
  }

  /** The largest entry in flight, the most likely cause when the peer refuses a message as too big. */
  largestInFlight(): BufferEntry | undefined {
    let largest: BufferEntry | undefined;
    for (const { entry } of this.#inFlight.values()) {
      if (largest === undefined || entry.sizeBytes > largest.sizeBytes) largest = entry;
    }
    return largest;
  }

  /** Makes entries due again, before entries that were never sent. */
  releaseSome(entries: readonly BufferEntry[]): void {
    this.#follow();
    for (const entry of entries) if (this.#land(entry.seq)) this.#dueAgain.push(entry);
  }

  /** Makes entries that were taken at least 90 s ago due again. Returns their number. */
  releaseOverdue(): number {
    const limitMs = this.#clock.monotonicMs() - wireTimes.ackDeadlineMs;
    const overdue: BufferEntry[] = [];
    for (const { entry, takenAtMs } of this.#inFlight.values()) {
      if (takenAtMs > limitMs) break; // the map is in order of taking
      overdue.push(entry);
    }
    this.releaseSome(overdue);
    return overdue.length;
  }

  /** The connection closed: everything is due again, from the oldest entry. */
  release(): void {
    this.settle();
    this.#restart();
  }

  #confirmSeq(seq: number): void {
    this.#land(seq);
    this.#confirmed.push(seq);
    if (this.#confirmed.length >= settleAtCount) this.settle();
    else this.#cancelSettle ??= this.#clock.after(settleAfterMs, () => this.settle());
  }

  #withdraw(entry: BufferEntry): void {
    this.#land(entry.seq);
    this.#dueAgain = this.#dueAgain.filter(({ seq }) => seq !== entry.seq);
  }

  #land(seq: number): boolean {
    const found = this.#inFlight.get(seq);
    if (found === undefined) return false;
    this.#inFlight.delete(seq);
    this.#batches.delete(found.entry.frameId);
    this.#inFlightBytes -= found.entry.sizeBytes;
    return true;
  }

  /** Starts from the oldest entry when the buffer moved to another store, where positions differ. */
  #follow(): void {
    if (this.#generation === this.#buffer.generation) return;
    this.#generation = this.#buffer.generation;
    this.#confirmed = [];
    this.#restart();
  }

  #restart(): void {
    this.#inFlight.clear();
    this.#batches.clear();
    this.#inFlightBytes = 0;
    this.#dueAgain = [];
    this.#after = { control: 0, events: 0 };
  }
}
