import { randomUUID } from "node:crypto";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { type CommandTable, commandSchema, type NewCommandRecord, openCommandTable } from "./command-table.ts";
import { addLoss, type BufferEntry, type BufferLoss, countLost, type NewEntry, noLoss } from "./entry.ts";

export interface StoreLimits {
  readonly maxEntries: number;
  readonly maxBytes: number;
}

/** One transaction, in this order: remove, evict, add, move cursors, write commands, save the loss counters. */
export interface StoreChange {
  readonly remove?: readonly number[];
  readonly add?: readonly NewEntry[];
  readonly cursors?: Iterable<readonly [key: string, value: string, ...unknown[]]>;
  readonly commands?: readonly NewCommandRecord[];
  /** Command ids to delete. */
  readonly forget?: readonly string[];
  /** Added to the counters. */
  readonly loss?: BufferLoss;
  /** True: synced to disk when `apply` returns, so that it survives a power failure. */
  readonly isSynced?: boolean;
}

/** A cursor and its write time in milliseconds since 1970. */
export type WrittenCursor = readonly [key: string, value: string, writtenMs: number];

/** Entries that were evicted for lack of capacity. */
export interface Evicted {
  readonly frames: number;
  readonly records: number;
}

export type Lane = "control" | "events";

interface OldestEntry {
  readonly seq: number;
  readonly type: string;
  readonly records: number;
  readonly sizeBytes: number;
  readonly createdMs: number;
}

const schemaVersion = 1;

const schema = `
  CREATE TABLE entries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    lane INTEGER NOT NULL,
    type TEXT NOT NULL,
    frame_id TEXT NOT NULL,
    records INTEGER NOT NULL,
    size_bytes INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    payload TEXT NOT NULL
  ) STRICT;
  CREATE INDEX entries_control ON entries (seq) WHERE lane = 0;
  CREATE TABLE cursors (key TEXT PRIMARY KEY, value TEXT NOT NULL, written_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  PRAGMA user_version = ${schemaVersion};
`;

/** The file was written by a newer agent version and must not be changed. */
export class NewerBufferError extends Error {
  constructor(version: number) {
    super(`the buffer file has layout ${version}, but this agent supports ${schemaVersion}`);
    this.name = "NewerBufferError";
  }
}

/**
 * Entries, cursors, command ids and loss counters in one SQLite database, locked exclusively while open (the operating system releases the
 * lock of a killed process). Every change is one transaction, so a cursor is never ahead of its events. The write-ahead log is synced at
 * checkpoints only: a killed process loses nothing. A power failure may lose the last transactions, events and cursors together, and the
 * adapter reads those events again. Changes with `isSynced` are synced immediately.
 */
export class BufferStore {
  readonly path: string;
  #database: DatabaseSync;
  #limits: StoreLimits;
  #bufferId: string;
  #loss: BufferLoss;
  #depth: number;
  #sizeBytes: number;
  #insert: StatementSync;
  #remove: StatementSync;
  #oldest: StatementSync;
  #saveCursor: StatementSync;
  #mergeCursor: StatementSync;
  #forgetCursor: StatementSync;
  #saveFact: StatementSync;
  #read: Record<Lane, StatementSync>;
  #commands: CommandTable;

  /**
   * @param path a file, or `:memory:`.
   * @param seed identity and loss counters for a store in memory. A file has its own.
   * @throws SQLite error: 5 (busy) when another process has locked the file, 11 or 26 when it is corrupt.
   */
  constructor(path: string, limits: StoreLimits, seed: { bufferId: string; loss: BufferLoss } | undefined) {
    this.path = path;
    this.#limits = limits;
    this.#database = new DatabaseSync(path, { timeout: 0 });
    try {
      this.#prepareFile();
      this.#insert = this.#database.prepare(
        "INSERT INTO entries (lane, type, frame_id, records, size_bytes, created_ms, payload) VALUES (?, ?, ?, ?, ?, ?, ?)",
      );
      this.#remove = this.#database.prepare("DELETE FROM entries WHERE seq = ? RETURNING size_bytes");
      this.#oldest = this.#database.prepare(
        "SELECT seq, type, records, size_bytes AS sizeBytes, created_ms AS createdMs FROM entries ORDER BY seq LIMIT 1",
      );
      this.#saveCursor = this.#database.prepare(
        `INSERT INTO cursors (key, value, written_ms) VALUES (?, ?, ?)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value, written_ms = excluded.written_ms`,
      );
      this.#mergeCursor = this.#database.prepare(
        `INSERT INTO cursors (key, value, written_ms) VALUES (?, ?, ?)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value, written_ms = excluded.written_ms
         WHERE excluded.written_ms > cursors.written_ms`,
      );
      this.#forgetCursor = this.#database.prepare("DELETE FROM cursors WHERE key = ?");
      this.#saveFact = this.#database.prepare(
        "INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      );
      const columns = "seq, type, frame_id AS frameId, records, size_bytes AS sizeBytes, payload";
      this.#read = {
        control: this.#database.prepare(
          `SELECT ${columns} FROM entries WHERE lane = 0 AND seq > ? ORDER BY seq LIMIT ?`,
        ),
        events: this.#database.prepare(
          `SELECT ${columns} FROM entries WHERE lane = 1 AND seq > ? ORDER BY seq LIMIT ?`,
        ),
      };
      this.#commands = openCommandTable(this.#database);
      const known = this.#loadFacts();
      this.#bufferId = known?.bufferId ?? seed?.bufferId ?? randomUUID();
      this.#loss = known?.loss ?? seed?.loss ?? { ...noLoss };
      if (known === undefined) this.#transaction(false, () => this.#saveFacts(this.#loss));
      const sums = this.#database.prepare("SELECT count(*) AS depth, total(size_bytes) AS size FROM entries").get();
      this.#depth = Number(sums?.depth);
      this.#sizeBytes = Number(sums?.size);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  get bufferId(): string {
    return this.#bufferId;
  }

  /** Cumulative over the lifetime of the file. */
  get loss(): Readonly<BufferLoss> {
    return this.#loss;
  }

  get depth(): number {
    return this.#depth;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** When the oldest entry was added, in milliseconds since 1970. */
  oldestMs(): number | undefined {
    return this.#oldestEntry()?.createdMs;
  }

  oldestSeq(): number | undefined {
    return this.#oldestEntry()?.seq;
  }

  /** 0 without entries. */
  newestSeq(): number {
    return Number(this.#database.prepare("SELECT max(seq) AS seq FROM entries").get()?.seq ?? 0);
  }

  cursor(key: string): string | undefined {
    const row = this.#database.prepare("SELECT value FROM cursors WHERE key = ?").get(key);
    return row === undefined ? undefined : String(row.value);
  }

  cursors(): WrittenCursor[] {
    const rows = this.#database.prepare("SELECT key, value, written_ms FROM cursors").all();
    return rows.map((row) => [String(row.key), String(row.value), Number(row.written_ms)]);
  }

  /** Copies the cursors that are newer than this store's own. */
  mergeCursors(cursors: readonly WrittenCursor[]): void {
    this.#transaction(false, () => {
      for (const cursor of cursors) this.#mergeCursor.run(...cursor);
    });
  }

  get commands(): Pick<CommandTable, "find" | "repeatable" | "unended" | "all" | "prune"> {
    return this.#commands;
  }

  /** Entries of a lane after `seq`, oldest first. Stops once `maxBytes` is reached, but returns at least one. */
  read(lane: Lane, afterSeq: number, limits: StoreLimits): BufferEntry[] {
    const entries: BufferEntry[] = [];
    let sizeBytes = 0;
    for (const row of this.#read[lane].iterate(afterSeq, limits.maxEntries)) {
      const entry = row as unknown as BufferEntry;
      sizeBytes += entry.sizeBytes;
      if (entries.length > 0 && sizeBytes > limits.maxBytes) break;
      entries.push(entry);
    }
    return entries;
  }

  /** Atomic: on an error neither the store nor its counters change. */
  apply(change: StoreChange, nowMs: number): Evicted {
    let depth = this.#depth;
    let sizeBytes = this.#sizeBytes;
    let loss = change.loss === undefined ? this.#loss : addLoss(this.#loss, change.loss);
    const evicted = { frames: 0, records: 0 };

    this.#transaction(change.isSynced === true, () => {
      for (const seq of change.remove ?? []) {
        const row = this.#remove.get(seq);
        if (row === undefined) continue; // evicted before its acknowledgement arrived
        depth -= 1;
        sizeBytes -= Number(row.size_bytes);
      }
      for (const entry of change.add ?? []) {
        while (depth > 0 && (depth >= this.#limits.maxEntries || sizeBytes + entry.sizeBytes > this.#limits.maxBytes)) {
          const oldest = this.#oldestEntry();
          if (oldest === undefined) break;
          this.#remove.get(oldest.seq);
          depth -= 1;
          sizeBytes -= oldest.sizeBytes;
          evicted.frames += 1;
          evicted.records += oldest.records;
          loss = countLost(loss, oldest.type, oldest.records, "capacity_evicted_frames");
        }
        const lane = entry.type === "event_batch" ? 1 : 0;
        this.#insert.run(lane, entry.type, entry.frameId, entry.records, entry.sizeBytes, nowMs, entry.payload);
        depth += 1;
        sizeBytes += entry.sizeBytes;
      }
      for (const [key, value] of change.cursors ?? []) {
        if (value === "") this.#forgetCursor.run(key);
        else this.#saveCursor.run(key, value, nowMs);
      }
      for (const record of change.commands ?? []) this.#commands.put(record);
      for (const id of change.forget ?? []) this.#commands.forget(id);
      if (loss !== this.#loss) this.#saveFacts(loss);
    });

    this.#depth = depth;
    this.#sizeBytes = sizeBytes;
    this.#loss = loss;
    return evicted;
  }

  /** Returns free pages to the file system, a few at a time. */
  shrink(): void {
    this.#database.exec("PRAGMA incremental_vacuum(2048)");
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #prepareFile(): void {
    // auto_vacuum must precede the first table. Exclusive locking must precede any use of the journal, so that no shared-memory file is
    // created and the lock lasts until close.
    this.#database.exec(
      "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;",
    );
    this.#database.exec(
      "PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -4096;",
    );
    this.#database.exec("BEGIN IMMEDIATE");
    const version = Number(this.#database.prepare("PRAGMA user_version").get()?.user_version);
    if (version > schemaVersion) throw new NewerBufferError(version);
    if (version === 0) this.#database.exec(schema);
    this.#database.exec(commandSchema);
    this.#database.exec("COMMIT");
  }

  #transaction(isSynced: boolean, work: () => void): void {
    if (isSynced) this.#database.exec("PRAGMA synchronous = FULL"); // not allowed inside a transaction
    try {
      this.#database.exec("BEGIN IMMEDIATE");
      work();
      this.#database.exec("COMMIT");
    } catch (error) {
      // A full disk may have caused a rollback already.
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    } finally {
      if (isSynced) this.#database.exec("PRAGMA synchronous = NORMAL");
    }
  }

  #oldestEntry(): OldestEntry | undefined {
    return this.#oldest.get() as unknown as OldestEntry | undefined;
  }

  #loadFacts(): { bufferId: string; loss: BufferLoss } | undefined {
    const row = this.#database.prepare("SELECT value FROM facts WHERE name = 'loss'").get();
    if (row === undefined) return undefined;
    const { bufferId, ...loss } = JSON.parse(String(row.value)) as BufferLoss & { bufferId: string };
    return { bufferId, loss: { ...noLoss, ...loss } };
  }

  #saveFacts(loss: BufferLoss): void {
    this.#saveFact.run("loss", JSON.stringify({ ...loss, bufferId: this.#bufferId }));
  }
}
