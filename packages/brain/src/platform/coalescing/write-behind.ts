import { chunks } from "../chunks.ts";
import { isTransient } from "../database/errors.ts";

export interface WriteBehindOptions<Note> {
  /** Delay from the first note to its write, and between two writes. */
  readonly everyMs: number;
  /** Writes a note immediately if the last write was longer ago than `everyMs`. */
  readonly startsAtOnce?: boolean;
  /** Maximum waiting keys; notes of further keys are refused. */
  readonly maxKeys: number;
  /** Maximum notes per `write`. */
  readonly maxNotes: number;
  /** Writes notes in the order of their keys, so that two processes do not wait for each other's locks. */
  write(notes: Note[]): Promise<void>;
  /** Receives notes that were dropped because of an error; after a permanent error, each was first retried alone. */
  onError(error: unknown, notes: readonly Note[]): void;
}

/**
 * A write-behind batcher: collects notes in memory by key and writes them together, so that a busy source costs one write per interval.
 * Only for data that may be lost when the process dies, or for notes that carry the promise of their caller.
 */
export class WriteBehind<Note, Key extends string | number = string> {
  readonly #options: WriteBehindOptions<Note>;
  #notes = new Map<Key, Note>();
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> | null = null;
  #isStopped = false;

  constructor(options: WriteBehindOptions<Note>) {
    this.#options = options;
  }

  /** The waiting note of this key, created by `fresh` if there is none; undefined when too many wait. */
  getOrCreate(key: Key, fresh: () => Note): Note | undefined {
    let note = this.#notes.get(key);
    if (note !== undefined) return note;
    if (this.#notes.size >= this.#options.maxKeys) return undefined;
    note = fresh();
    this.#notes.set(key, note);
    this.#schedule();
    return note;
  }

  /** The waiting note of this key. */
  get(key: Key): Note | undefined {
    return this.#notes.get(key);
  }

  /** Discards the waiting note of this key. */
  delete(key: Key): void {
    this.#notes.delete(key);
  }

  /** Waits for the write in progress. */
  async settled(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  /** Writes all waiting notes. Never throws. */
  async flush(): Promise<void> {
    // Not by `settled`: another flush could begin before the code after it runs.
    while (this.#writing !== null) await this.#writing;
    await this.#begin();
  }

  /** Writes the waiting notes a last time. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.flush();
  }

  #schedule(): void {
    if (this.#timer !== null || this.#writing !== null || this.#isStopped) return;
    if (this.#options.startsAtOnce === true) void this.#begin();
    else this.#rest();
  }

  /** Until the timer fires, nothing is written except by a flush. */
  #rest(): void {
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#notes.size > 0) void this.#begin();
    }, this.#options.everyMs);
    this.#timer.unref();
  }

  #begin(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const writing = this.#writeAll().finally(() => {
      this.#writing = null;
      if (!this.#isStopped && (this.#notes.size > 0 || this.#options.startsAtOnce === true)) this.#rest();
    });
    this.#writing = writing;
    return writing;
  }

  async #writeAll(): Promise<void> {
    const notes = [...this.#notes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, note]) => note);
    this.#notes = new Map();
    for (const some of chunks(notes, this.#options.maxNotes)) await this.#write(some);
  }

  async #write(notes: Note[]): Promise<void> {
    try {
      await this.#options.write(notes);
    } catch (error) {
      if (isTransient(error) || notes.length === 1) this.#options.onError(error, notes);
      else for (const note of notes) await this.#write([note]);
    }
  }
}
