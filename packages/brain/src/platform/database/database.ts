import type { CompiledQuery, Kysely, Transaction } from "kysely";
import type { Pool } from "pg";

export type DialectName = "sqlite" | "postgres";

/** A write transaction: everything in it is durable when `write` resolves, or undone. */
export type Tx<Schema> = Transaction<Schema>;

/** One opened database. Both dialects behave the same. They differ only in `bulk`, which the hand-written statements of ingest use, and in `dialects/`. */
export interface Database<Schema> {
  readonly dialect: DialectName;
  /** Whether other processes may work on it: the embedded database belongs to one. */
  readonly isShared: boolean;
  /** Reads that cost no more than a page. On SQLite in process, on a read-only connection. */
  readonly read: Kysely<Schema>;
  /** Exports, searches, counts: reads that may take longer than a page. On SQLite in a reader thread, so the event loop is not blocked. */
  readonly slow: Kysely<Schema>;
  /** Runs a read of `read` whose text is always the same under this name: the server database parses and plans it once per connection. */
  prepared<Row>(name: string, query: CompiledQuery<Row>): Promise<Row[]>;
  /**
   * Runs `work` in one write transaction (READ COMMITTED; on SQLite the single writer, FIFO) and resolves after the commit is durable.
   * Throws whatever `work` threw, after undoing everything; `isTransient` says whether a retry can help, as when too many are running in
   * this process (bounded-writes.ts). When many arrive at once, several share a transaction, each in a savepoint. `work` may then run a
   * second time after the first run was undone, so it must change nothing but the database. With `alone` it never shares a transaction: for
   * settings of the transaction, and for locks that only its last statement may take.
   */
  write<T>(work: (tx: Tx<Schema>) => Promise<T>, options?: { readonly alone?: boolean }): Promise<T>;
  /**
   * Reads in `work` see one snapshot of the database, on a separate connection and concurrent with writers: for paged scans. On SQLite they
   * run in process, so pages must be small, and the scan yields between them.
   */
  snapshot<T>(work: (db: Kysely<Schema>) => Promise<T>): Promise<T>;
  /** Resolves when everything committed so far, and shown to readers, is durable. */
  flush(): Promise<void>;
  readonly bulk: SqliteBulk | PostgresBulk;
  /** For `Broadcast` only: notifies every process on this database; `payload` at most 7900 bytes. Delivered at most once. */
  notify(channel: string, payload: string): Promise<void>;
  /** Calls `handler` for notifications of any process, this one included; the embedded database has none. Returns a function that stops it. */
  listen(channel: string, handler: (payload: string) => void, options?: ListenOptions): Promise<() => Promise<void>>;
  /** Takes the lease of a named loop, or null while another process holds it. On the embedded database this process always gets it. */
  lead(name: string): Promise<Lease | null>;
  /** A trivial query, for readiness. Throws when the database does not answer. */
  ping(): Promise<void>;
  /** Writes the log back into the database file and returns its number of pages; null on the server database, which does so itself. */
  checkpoint(): Promise<number | null>;
  /** Figures of the pool for /metrics. */
  poolStats(): { size: number; checkedOut: number };
  close(): Promise<void>;
}

export interface ListenOptions {
  /** Called when listening resumes after notifications may have been lost. */
  readonly onGap?: () => void;
}

/** A held leadership. */
export interface Lease {
  /** False once the connection that held the lease was lost. */
  isHeld(): boolean;
  release(): Promise<void>;
}

export interface SqliteBulk {
  readonly dialect: "sqlite";
  /**
   * Runs the named job of the writer thread in one transaction (a savepoint of the group being committed) and resolves with its result
   * after the commit. `payload` and result are structured-cloned.
   */
  job(name: string, payload: unknown): Promise<unknown>;
}

export interface PostgresBulk {
  readonly dialect: "postgres";
  readonly pool: Pool;
}
