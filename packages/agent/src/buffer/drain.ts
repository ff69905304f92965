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

/** Entries taken in one round at most (spec part 3, section 1.11). */
export const roundEntries = 500;

/**
 * Which entries of the buffer are on their way. `take` gives each entry once, oldest first, answers to commands before events;
 * confirming removes it; releasing and a missed deadline make it due again. A batch keeps its frame id for every sending.
 */
export class Drain {
  #buffer: DurableBuffer;
  #clock: Clock;
  #inFlight = new Map<number, InFlight>();
  #inFlightBytes = 0;
  /** Batches on their way by frame id. A command's ack and result share theirs, and no ack of the brain names it. */
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

  /** The brain acknowledged a batch. False for an id that is not on its way. */
  confirmBatch(frameId: string): boolean {
    this.#follow();
    const seq = this.#batches.get(frameId);
    if (seq === undefined) return false;
    this.#confirmSeq(seq);
    return true;
  }

  /** An entry is where it has to be and may go. */
  confirm(entry: BufferEntry): void {
    this.#follow();
    if (this.#inFlight.has(entry.seq)) this.#confirmSeq(entry.seq);
  }

  /** Takes confirmed entries out of the buffer. Until then a crash only sends them again. */
  settle(): void {
    this.#cancelSettle?.();
    this.#cancelSettle = undefined;
    this.#follow();
    const remove = this.#confirmed.splice(0);
    if (remove.length > 0) this.#buffer.apply({ remove });
  }

  /** Drops an entry that no frame can carry, counted as refused for its content. */
  reject(entry: BufferEntry): void {
    this.#withdraw(entry);
    this.#buffer.reject(entry, "content_rejected_frames");
  }

  /** Puts other entries in the place of one; they go to the end of the buffer. */
  replace(entry: BufferEntry, add: readonly NewEntry[]): void {
    this.#withdraw(entry);
    this.#buffer.apply({ remove: [entry.seq], add });
  }

  /** The largest entry on its way, the likeliest cause when the peer found a message too big. */
  largestInFlight(): BufferEntry | undefined {
    let largest: BufferEntry | undefined;
    for (const { entry } of this.#inFlight.values()) {
      if (largest === undefined || entry.sizeBytes > largest.sizeBytes) largest = entry;
    }
    return largest;
  }

  /** Makes entries due again, ahead of what was never sent. */
  releaseSome(entries: readonly BufferEntry[]): void {
    this.#follow();
    for (const entry of entries) if (this.#land(entry.seq)) this.#dueAgain.push(entry);
  }

  /** Makes entries due again that were taken 90 s ago or earlier; gives their number. */
  releaseOverdue(): number {
    const limitMs = this.#clock.monotonicMs() - wireTimes.ackDeadlineMs;
    const overdue: BufferEntry[] = [];
    for (const { entry, takenAtMs } of this.#inFlight.values()) {
      if (takenAtMs > limitMs) break; // in order of taking
      overdue.push(entry);
    }
    this.releaseSome(overdue);
    return overdue.length;
  }

  /** The connection is gone: everything is due again, from the oldest. */
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

  /** When the buffer moved to another store, positions mean something else: begin at its oldest. */
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
