import { fileURLToPath } from "node:url";
import type { Database } from "./database.ts";
import { openPostgres, type PostgresOptions } from "./dialects/postgres/open.ts";
import { openSqlite } from "./dialects/sqlite/open.ts";
import { boundWrites } from "./transactions/bounded-writes.ts";
import type { NamedColumns } from "./values/instants.ts";

export interface OpenDatabaseOptions extends Omit<PostgresOptions, "url"> {
  /** `sqlite:///absolute/path`, `postgres://…` or `postgresql://…`. */
  readonly url: string;
  readonly synchronous: "full" | "normal";
  readonly namedColumns: NamedColumns;
  readonly writerEntry: string;
  readonly readerEntry: string;
  /** Receives errors of background connections; never with a URL or credentials. */
  readonly onError: (error: Error) => void;
}

/** Path of the file that a `sqlite:///path` URL names. */
export const sqlitePath = (url: string): string => fileURLToPath(`file://${url.slice("sqlite://".length)}`);

/**
 * Opens the database that the URL names.
 *
 * @throws SqliteError or the driver's error when it cannot be reached; the message never holds the URL.
 */
export async function openDatabase<Schema>(options: OpenDatabaseOptions): Promise<Database<Schema>> {
  const database = await openDialect<Schema>(options);
  return { ...database, write: boundWrites(database.write) };
}

function openDialect<Schema>(options: OpenDatabaseOptions): Promise<Database<Schema>> {
  const { url } = options;
  if (url.startsWith("sqlite:///")) {
    return openSqlite<Schema>({
      path: sqlitePath(url),
      synchronous: options.synchronous,
      namedColumns: options.namedColumns,
      writerEntry: options.writerEntry,
      readerEntry: options.readerEntry,
      idleSessionMs: options.idleInTransactionMs,
    });
  }
  if (url.startsWith("postgres://") || url.startsWith("postgresql://")) return openPostgres<Schema>(options);
  throw new TypeError("SVC_DATABASE_URL must begin with sqlite:///, postgres:// or postgresql://");
}
