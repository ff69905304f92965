import type { DurableBuffer } from "../buffer/buffer.ts";
import type { CommandRecord, NewCommandRecord, Repeatable } from "../buffer/command-table.ts";
import type { NewEntry } from "../buffer/entry.ts";
import type { Clock } from "../runtime/clock.ts";
import { shortenOutcome } from "./reply.ts";

/** One command id. */
export interface JournalEntry {
  readonly id: string;
  readonly action: string;
  /** Claim token of the newest delivery. The brain accepts ack and result only with it. */
  token: string | null;
  /** True from just before its execution. */
  isBegun: boolean;
  /** Text of `encodeOutcome`. Null until it is finished. */
  outcome: string | null;
  /** When it was last delivered or finished, on the monotonic clock. */
  seenAtMs: number;
}

const rememberMs = 300_000;
const maxRemembered = 10_000;
/** Outcomes over 512 bytes are kept up to 8 MiB in total. Beyond that the oldest lose their result, not their status. */
const smallOutcomeBytes = 512;
const maxLargeBytes = 8 * 1024 * 1024;

/**
 * Command ids in memory and in the buffer's database. An id is kept for 300 s after it was last delivered or finished, at most 10,000 of them,
 * dropping the oldest first. An id without an outcome is always kept, so that a restarted process finds unfinished commands.
 */
export class CommandJournal {
  #buffer: DurableBuffer;
  #clock: Clock;
  #entries = new Map<string, JournalEntry>();
  /** Entries with a large outcome, oldest first. */
  #large = new Map<JournalEntry, number>();
  #largeBytes = 0;

  constructor(buffer: DurableBuffer, clock: Clock) {
    this.#buffer = buffer;
    this.#clock = clock;
  }

  /** The entry of a known id, from this or an earlier process. */
  find(id: string): JournalEntry | undefined {
    const nowMs = this.#clock.monotonicMs();
    const own = this.#entries.get(id);
    if (own !== undefined) return isForgotten(own, nowMs) ? undefined : own;
    const record = this.#buffer.command(id);
    if (record === undefined) return undefined;
    const entry = this.#entryOf(record);
    return isForgotten(entry, nowMs) ? undefined : entry;
  }

  /** Unfinished commands of this and of ended processes. */
  unfinished(): JournalEntry[] {
    return this.#buffer.unendedCommands().map((record) => this.#entryOf(record));
  }

  /** What is needed to repeat an unfinished command. Undefined for one that must not be repeated. */
  repeatable(id: string): Repeatable | undefined {
    return this.#buffer.repeatableCommand(id);
  }

  /**
   * Stores an entry and its replies in one transaction and marks it as seen now. A started command is synced to disk when this returns.
   *
   * @param repeatable with the first write of a command that may be repeated. It is kept on disk until the outcome is known.
   */
  write(entry: JournalEntry, answers: readonly NewEntry[], repeatable?: Repeatable): void {
    entry.seenAtMs = this.#clock.monotonicMs();
    const former = this.#entries.get(entry.id);
    if (former !== undefined && former !== entry) this.#release(former); // dropped earlier and now delivered again
    this.#entries.delete(entry.id);
    this.#entries.set(entry.id, entry);
    const shortened = this.#holdOutcome(entry);
    this.#buffer.apply({
      add: answers,
      commands: [{ ...this.#recordOf(entry), repeatable }, ...shortened.map((other) => this.#recordOf(other))],
      forget: this.#forgetOldest(),
      isSynced: entry.isBegun && entry.outcome === null,
    });
  }

  /** Deletes expired ids from the file. */
  prune(): void {
    this.#buffer.pruneCommands(this.#clock.nowMs() - rememberMs);
  }

  #forgetOldest(): string[] {
    const nowMs = this.#clock.monotonicMs();
    const forgotten: string[] = [];
    for (const [id, entry] of this.#entries) {
      if (this.#entries.size <= maxRemembered && !isForgotten(entry, nowMs)) break;
      if (entry.outcome === null) continue;
      this.#entries.delete(id);
      this.#release(entry);
      forgotten.push(id);
    }
    return forgotten;
  }

  #release(entry: JournalEntry): void {
    this.#largeBytes -= this.#large.get(entry) ?? 0;
    this.#large.delete(entry);
  }

  /** Counts a large outcome. Returns older entries that had to be shortened for it. */
  #holdOutcome(entry: JournalEntry): JournalEntry[] {
    const sizeBytes = Buffer.byteLength(entry.outcome ?? "");
    if (sizeBytes <= smallOutcomeBytes || this.#large.has(entry)) return [];
    this.#large.set(entry, sizeBytes);
    this.#largeBytes += sizeBytes;
    const shortened: JournalEntry[] = [];
    for (const oldest of this.#large.keys()) {
      if (this.#largeBytes <= maxLargeBytes) break;
      this.#release(oldest);
      oldest.outcome = shortenOutcome(oldest.outcome ?? "");
      shortened.push(oldest);
    }
    return shortened;
  }

  /** The age is never negative, even if the wall clock was set back since the record was written. */
  #entryOf({ id, action, token, isBegun, outcome, seenMs }: CommandRecord): JournalEntry {
    const ageMs = Math.max(0, this.#clock.nowMs() - seenMs);
    return { id, action, token, isBegun: isBegun === 1, outcome, seenAtMs: this.#clock.monotonicMs() - ageMs };
  }

  #recordOf({ id, action, token, isBegun, outcome, seenAtMs }: JournalEntry): NewCommandRecord {
    const ageMs = this.#clock.monotonicMs() - seenAtMs;
    return { id, action, token, isBegun: isBegun ? 1 : 0, outcome, seenMs: Math.round(this.#clock.nowMs() - ageMs) };
  }
}

function isForgotten({ outcome, seenAtMs }: JournalEntry, nowMs: number): boolean {
  return outcome !== null && nowMs - seenAtMs >= rememberMs;
}
