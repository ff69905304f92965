import type { AgentLog } from "../adapter.ts";
import type { Clock } from "../runtime/clock.ts";
import { reasonOf } from "../runtime/log.ts";
import type { CommandRecord, Repeatable } from "./command-table.ts";
import { type BufferEntry, type BufferLoss, countLost, type LossReason, lossBetween, noLoss } from "./entry.ts";
import { adoptLeftovers, type BufferPlace, isDamage, openBufferFile, setAside, shareCursors } from "./files.ts";
import { BufferStore, type Evicted, type Lane, type StoreChange, type StoreLimits } from "./store.ts";

export interface BufferDependencies {
  readonly place: BufferPlace;
  readonly clock: Clock;
  readonly log: AgentLog;
}

const memoryLimits = { maxEntries: 10_000, maxBytes: 32 * 1024 * 1024 };
const reopenEveryMs = 30_000;
const shareEveryMs = 30_000;
const nothingEvicted: Evicted = { frames: 0, records: 0 };

/**
 * The agent's buffer: a file, or memory while the file cannot be used. Nothing here throws. When the file fails (full disk, missing
 * permission, corruption), new entries go to a bounded store in memory. The file is retried every 30 s. Once it works, the entries in memory
 * move to it. Entries already in the file stay there and are sent later. Cursors in memory are lost with the process, so the adapter reads
 * those events again.
 */
export class DurableBuffer {
  #dependencies: BufferDependencies;
  #store: BufferStore;
  #isDurable = false;
  #reopenAtMs = 0;
  #shareAtMs = 0;
  #generation = 0;

  constructor(dependencies: BufferDependencies) {
    this.#dependencies = dependencies;
    this.#store = this.#openMemory(undefined);
    this.#tryFile();
  }

  /** False while entries are in memory only. */
  get isDurable(): boolean {
    return this.#isDurable;
  }

  /** Increases whenever entries move to another store, which gives them new positions. */
  get generation(): number {
    return this.#generation;
  }

  get bufferId(): string {
    return this.#store.bufferId;
  }

  get loss(): Readonly<BufferLoss> {
    return this.#store.loss;
  }

  get depth(): number {
    return this.#store.depth;
  }

  get sizeBytes(): number {
    return this.#store.sizeBytes;
  }

  oldestAgeSeconds(): number | undefined {
    const oldestMs = this.#guard(() => this.#store.oldestMs(), undefined);
    if (oldestMs === undefined) return undefined;
    return Math.max(0, Math.round((this.#dependencies.clock.nowMs() - oldestMs) / 1000));
  }

  cursor(key: string): string | undefined {
    return this.#guard(() => this.#store.cursor(key), undefined);
  }

  /** The record of a command id, from this or an earlier process. */
  command(id: string): CommandRecord | undefined {
    return this.#guard(() => this.#store.commands.find(id), undefined);
  }

  /** Commands without an outcome, from this or an earlier process. */
  unendedCommands(): CommandRecord[] {
    return this.#guard(() => this.#store.commands.unended(), []);
  }

  /** What is needed to repeat a command without an outcome. Undefined for one that must not be repeated. */
  repeatableCommand(id: string): Repeatable | undefined {
    return this.#guard(() => this.#store.commands.repeatable(id), undefined);
  }

  /** Deletes finished commands last seen before `beforeMs` (milliseconds since 1970). */
  pruneCommands(beforeMs: number): void {
    this.#guard(() => this.#store.commands.prune(beforeMs), undefined);
  }

  read(lane: Lane, afterSeq: number, limits: StoreLimits): BufferEntry[] {
    return this.#guard(() => this.#store.read(lane, afterSeq, limits), []);
  }

  /** Applies a change to the file, or to memory while the file fails. */
  apply(change: StoreChange): Evicted {
    if (!this.#isDurable && this.#dependencies.clock.monotonicMs() >= this.#reopenAtMs) this.#tryFile();
    const nowMs = this.#dependencies.clock.nowMs();
    const store = this.#store;
    const evicted = this.#guard(() => store.apply(change, nowMs), undefined);
    if (evicted !== undefined) return evicted;
    if (store === this.#store) return nothingEvicted; // memory refused it too
    // The file just failed. The positions to remove belong to the file, where sent entries stay until it is reopened.
    const { remove: _fileSeqs, ...rest } = change;
    return this.#guard(() => this.#store.apply(rest, nowMs), nothingEvicted);
  }

  /**
   * Tracks the current entries. The returned function says whether all of them have left the buffer. For a failed file that is unknown, and
   * so false, until it works again.
   */
  follow(): () => boolean {
    let generation = this.#generation;
    let last = this.#guard(() => this.#store.newestSeq(), Number.MAX_SAFE_INTEGER);
    return () => {
      if (generation !== this.#generation) {
        if (!this.#isDurable) return false;
        generation = this.#generation;
        last = this.#guard(() => this.#store.newestSeq(), Number.MAX_SAFE_INTEGER);
      }
      return this.#guard(() => (this.#store.oldestSeq() ?? Number.POSITIVE_INFINITY) > last, false);
    };
  }

  /** Drops one entry for a reason other than capacity, and counts it as lost. */
  reject(entry: BufferEntry, reason: LossReason): void {
    this.apply({ remove: [entry.seq], loss: countLost(noLoss, entry.type, entry.records, reason) });
  }

  /**
   * Maintenance on each heartbeat: retries the file, releases disk space, copies positions to files of ended processes and, when there is
   * nothing else to send, adopts their entries. Returns the number of adopted entries.
   */
  tend(): number {
    const { clock, log, place } = this.#dependencies;
    if (!this.#isDurable) {
      if (clock.monotonicMs() >= this.#reopenAtMs) this.#tryFile();
      return 0;
    }
    this.#guard(() => this.#store.shrink(), undefined);
    if (clock.monotonicMs() >= this.#shareAtMs) {
      this.#shareAtMs = clock.monotonicMs() + shareEveryMs;
      this.#guard(() => shareCursors(place, this.#store), undefined);
    }
    if (!this.#isDurable || this.depth > 0) return 0;
    const adopted = this.#guard(() => adoptLeftovers(place, this.#store, clock.nowMs()), 0);
    if (adopted > 0) log.info("adopted buffered entries of an ended process", { entries: adopted });
    return adopted;
  }

  close(): void {
    try {
      this.#store.close();
    } catch (error) {
      this.#dependencies.log.warn("buffer did not close cleanly", { reason: reasonOf(error) });
    }
  }

  #tryFile(): void {
    const { place, log, clock } = this.#dependencies;
    const memory = this.#store;
    try {
      const file = openBufferFile(place, log);
      try {
        const held = memory.read("control", 0, allOf(memory)).concat(memory.read("events", 0, allOf(memory)));
        const loss = memory.bufferId === file.bufferId ? lossBetween(file.loss, memory.loss) : memory.loss;
        file.apply({ add: held, cursors: memory.cursors(), commands: memory.commands.all(), loss }, clock.nowMs());
      } catch (error) {
        file.close();
        throw error;
      }
      this.#store = file;
      this.#isDurable = true;
      this.#generation += 1;
      memory.close();
      if (file.depth > 0) log.info("buffer contains unsent entries", { entries: file.depth });
    } catch (error) {
      this.#reopenAtMs = clock.monotonicMs() + reopenEveryMs;
      log.error("buffer file unavailable, events are kept in memory only", {
        directory: place.directory,
        reason: reasonOf(error),
      });
    }
  }

  /** Runs work on the store. When the file fails, logs it and continues in memory. */
  #guard<T>(work: () => T, fallback: T): T {
    try {
      return work();
    } catch (error) {
      const { log, clock } = this.#dependencies;
      if (!this.#isDurable) {
        log.error("in-memory buffer refused a change", { reason: reasonOf(error) });
        return fallback;
      }
      log.error("buffer file failed, events are kept in memory only until it works again", {
        entriesInFile: this.#store.depth,
        reason: reasonOf(error),
      });
      const file = this.#store;
      const loss = { ...file.loss };
      const isLost = isDamage(error);
      if (isLost) loss.unclassified_frames += file.depth;
      this.#store = this.#openMemory({ bufferId: file.bufferId, loss });
      this.#isDurable = false;
      this.#generation += 1;
      this.#reopenAtMs = clock.monotonicMs() + reopenEveryMs;
      try {
        file.close();
        if (isLost) setAside(file.path);
      } catch {
        // The first failure has been logged already.
      }
      return fallback;
    }
  }

  #openMemory(seed: { bufferId: string; loss: BufferLoss } | undefined): BufferStore {
    const { limits } = this.#dependencies.place;
    return new BufferStore(
      ":memory:",
      {
        maxEntries: Math.min(limits.maxEntries, memoryLimits.maxEntries),
        maxBytes: Math.min(limits.maxBytes, memoryLimits.maxBytes),
      },
      seed,
    );
  }
}

function allOf(store: BufferStore): StoreLimits {
  return { maxEntries: store.depth, maxBytes: Number.MAX_SAFE_INTEGER };
}
