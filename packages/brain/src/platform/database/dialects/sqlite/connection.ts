import { closeSync, openSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { toSqliteValue } from "../../values/instants.ts";
import { createJsonTests, jsonFits, jsonHolds } from "../../values/json-content.ts";

export interface SqliteOptions {
  /** Path of the database file. */
  readonly path: string;
  /** `full` (default): a commit survives a power cut. `normal`: the last commits may be lost then. */
  readonly synchronous: "full" | "normal";
}

export function openForWriting({ path, synchronous }: SqliteOptions): DatabaseSync {
  createFile(path);
  const db = new DatabaseSync(path, { timeout: 5000 });
  db.exec("PRAGMA journal_mode = WAL");
  db.exec(`PRAGMA synchronous = ${synchronous === "full" ? "FULL" : "NORMAL"}`);
  db.exec("PRAGMA foreign_keys = ON; PRAGMA cache_size = -24576; PRAGMA temp_store = MEMORY");
  // A larger log between checkpoints: pages that many batches touch are written back once. The limit keeps the file from staying large.
  db.exec("PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864");
  return db;
}

/**
 * Makes the file readable only by its owner, regardless of the umask; SQLite gives its log the same mode. An existing file is not opened,
 * because closing it would drop the locks that this process holds on it.
 */
function createFile(path: string): void {
  try {
    closeSync(openSync(path, "ax", 0o600));
  } catch {
    // It exists, or SQLite reports why it cannot be created.
  }
}

export function openForReading(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  db.exec("PRAGMA query_only = ON; PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY");
  // SQLite's own lower() knows ASCII only.
  db.function("fold_case", { deterministic: true }, (text) => (typeof text === "string" ? text.toLowerCase() : null));
  db.function("json_holds", { deterministic: true }, (text, needle) =>
    Number(typeof text === "string" && jsonHolds(text, String(needle))),
  );
  const testsOf = createJsonTests();
  db.function("json_fits", { deterministic: true }, (text, given) =>
    Number(typeof text === "string" && jsonFits(text, testsOf(String(given)))),
  );
  return db;
}

export interface StatementResult {
  readonly rows: Record<string, unknown>[];
  readonly changes: number;
  readonly lastInsertRowid: number;
}

const maxPrepared = 256;

/** Prepares and runs statements on one connection, keeping the most recently used ones prepared. */
export function createStatementRunner(db: DatabaseSync) {
  const prepared = new Map<string, { statement: StatementSync; returnsRows: boolean }>();

  function prepare(sql: string) {
    const known = prepared.get(sql);
    if (known !== undefined) {
      prepared.delete(sql);
      prepared.set(sql, known);
      return known;
    }
    const statement = db.prepare(sql);
    const entry = { statement, returnsRows: statement.columns().length > 0 };
    prepared.set(sql, entry);
    if (prepared.size > maxPrepared) prepared.delete(prepared.keys().next().value as string);
    return entry;
  }

  return function run(sql: string, parameters: readonly unknown[]): StatementResult {
    const { statement, returnsRows } = prepare(sql);
    const values = parameters.map(toSqliteValue);
    if (returnsRows) {
      const rows = statement.all(...values) as Record<string, unknown>[];
      return { rows, changes: 0, lastInsertRowid: 0 };
    }
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) };
  };
}
