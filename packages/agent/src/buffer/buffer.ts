import type { AgentLog } from "../adapter.ts";
import type { Clock } from "../runtime/clock.ts";
import { reasonOf } from "../runtime/log.ts";
import type { CommandRecord } from "./command-table.ts";
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
 * The agent's buffer: a file, and memory for as long as the file cannot be used. Nothing here throws. When the file fails (full
 * disk, no permission, damage), new entries go to a bounded store in memory, the file is tried again every 30 s and, once it works,
 * takes over what memory still holds. What the file held stays there meanwhile and is sent afterwards. Cursors written to memory
 * are lost with the process, so the adapter reads those events again.
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

  /** False while entries live in memory only. */
  get isDurable(): boolean {
    return this.#isDurable;
  }

  /** Rises whenever the entries moved to another store, which gives them new positions. */
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

  /** What is known of a command id, from this process or one before it. */
  command(id: string): CommandRecord | undefined {
    return this.#guard(() => this.#store.commands.find(id), undefined);
  }

  /** Commands without outcome, of this process or of one that is gone. */
  unendedCommands(): CommandRecord[] {
    return this.#guard(() => this.#store.commands.unended(), []);
  }

  /** Forgets ended commands seen before `beforeMs` (milliseconds since 1970). */
  pruneCommands(beforeMs: number): void {
    this.#guard(() => this.#store.commands.prune(beforeMs), undefined);
  }

  read(lane: Lane, afterSeq: number, limits: StoreLimits): BufferEntry[] {
    return this.#guard(() => this.#store.read(lane, afterSeq, limits), []);
  }

  /** Stores a change, in the file when it works, else in memory. */
  apply(change: StoreChange): Evicted {
    if (!this.#isDurable && this.#dependencies.clock.monotonicMs() >= this.#reopenAtMs) this.#tryFile();
    const nowMs = this.#dependencies.clock.nowMs();
    const store = this.#store;
    const evicted = this.#guard(() => store.apply(change, nowMs), undefined);
    if (evicted !== undefined) return evicted;
    if (store === this.#store) return nothingEvicted; // memory refused as well: nothing more can be done
    // The file failed and memory took over. Positions to remove were the file's; what was sent stays there until it reopens.
    const { remove: _fileSeqs, ...rest } = change;
    return this.#guard(() => this.#store.apply(rest, nowMs), nothingEvicted);
  }

  /**
   * Follows the entries held now; the function given says whether all of them are gone. Of a file that failed nobody knows until it
   * works again.
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

  /** Drops one entry for a reason other than room, and counts it. */
  reject(entry: BufferEntry, reason: LossReason): void {
    this.apply({ remove: [entry.seq], loss: countLost(noLoss, entry.type, entry.records, reason) });
  }

  /**
   * Housekeeping without hurry, for the heartbeat to call: tries the file again, gives space back, tells files that processes left its
   * positions and, when there is nothing of its own to send, takes over their entries. Gives the number of entries taken over.
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
    if (adopted > 0) log.info("the agent took over entries of a process that is gone", { entries: adopted });
    return adopted;
  }

  close(): void {
    try {
      this.#store.close();
    } catch (error) {
      this.#dependencies.log.warn("the agent's buffer did not close cleanly", { reason: reasonOf(error) });
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
      if (file.depth > 0) log.info("the agent's buffer holds unsent entries", { entries: file.depth });
    } catch (error) {
      this.#reopenAtMs = clock.monotonicMs() + reopenEveryMs;
      log.error("the agent's buffer file cannot be used; events are kept in memory only until it can", {
        directory: place.directory,
        reason: reasonOf(error),
      });
    }
  }

  /** Runs work on the store; when the file fails, says so and goes on in memory. */
  #guard<T>(work: () => T, fallback: T): T {
    try {
      return work();
    } catch (error) {
      const { log, clock } = this.#dependencies;
      if (!this.#isDurable) {
        log.error("the agent's buffer in memory refused a change", { reason: reasonOf(error) });
        return fallback;
      }
      log.error("the agent's buffer file failed; events are kept in memory only until it works again", {
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
        // It failed already; the first reason is in the log.
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
