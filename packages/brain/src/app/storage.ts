import { join } from "node:path";
import type { Database } from "../platform/database/database.ts";
import { appliedMigrations, checkMigrated, migrate, SchemaMismatch } from "../platform/database/migrate.ts";
import { type OpenDatabaseOptions, openDatabase, sqlitePath } from "../platform/database/open.ts";
import { needsDatabaseTls } from "../platform/database/settings.ts";
import type { Log } from "../platform/log.ts";
import { secureDatabaseFiles } from "../platform/settings/file-modes.ts";
import type { LoadedSettings } from "../platform/settings.ts";
import { migrations } from "../schema/migrations/migrations.ts";
import { namedColumns } from "../schema/named-columns.ts";
import type { BrainDatabase, Tables } from "../schema/tables/index.ts";
import type { BrainSettings } from "./settings/settings.ts";
import { threadEntries } from "./threads/thread-entries.ts";

export { type BrainDatabase, SchemaMismatch };
export type StorageOptions = Omit<OpenDatabaseOptions, "writerEntry" | "readerEntry" | "namedColumns">;

/** The configured database accepts no connection. The message names the place, never user or password. */
export class DatabaseUnreachable extends Error {}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "unknown host name",
  EAI_AGAIN: "the host name cannot be resolved at the moment",
  ETIMEDOUT: "no answer",
  EHOSTUNREACH: "the host cannot be reached",
  "28P01": "wrong user or password",
  "28000": "the user may not connect",
  "3D000": "the database does not exist",
  "53300": "the server has too many connections",
  "57P03": "the server is starting or stopping",
};

/**
 * Opens the brain's database without touching its schema.
 *
 * @throws DatabaseUnreachable when the first statement fails.
 */
export async function openStorage(options: StorageOptions): Promise<BrainDatabase> {
  let database: BrainDatabase | undefined;
  try {
    database = await openDatabase<Tables>({ ...options, ...threadEntries, namedColumns });
    await database.ping();
    return database;
  } catch (cause) {
    await database?.close().catch(() => {});
    throw new DatabaseUnreachable(`${placeOf(options.url)} cannot be opened: ${reasonOf(cause)}`, { cause });
  }
}

/** The place that the URL names, without credentials. */
function placeOf(url: string): string {
  if (url.startsWith("sqlite://")) return `the database file ${url.slice("sqlite://".length)}`;
  const { host, pathname } = URL.canParse(url) ? new URL(url) : { host: "", pathname: "" };
  return `the database ${host}${pathname}`;
}

function reasonOf(fault: unknown): string {
  const { code, message } = fault as { code?: unknown; message?: unknown };
  return (typeof code === "string" && reasons[code]) || String(message || code);
}

/** Applies the missing migrations and returns their names. */
export const migrateStorage = (database: BrainDatabase, now: Date, lockTimeoutMs: number): Promise<string[]> =>
  migrate(database as unknown as Database<unknown>, migrations, { now, lockTimeoutMs });

/** Migrates if the settings allow it and returns the applied names. @throws if the schema then differs from this program's. */
export async function prepareSchema(
  database: BrainDatabase,
  settings: Pick<BrainSettings, "SVC_AUTO_MIGRATE" | "SVC_STARTUP_VERIFY_LOCK_TIMEOUT_MS">,
  now: Date,
): Promise<string[]> {
  if (settings.SVC_AUTO_MIGRATE) return migrateStorage(database, now, settings.SVC_STARTUP_VERIFY_LOCK_TIMEOUT_MS);
  await checkStorage(database);
  return [];
}

/** Changes nothing. @throws if the schema differs from this program's. */
export const checkStorage = (database: BrainDatabase): Promise<void> =>
  checkMigrated(database as unknown as Database<unknown>, migrations);

/** The newest migration that this program knows: its schema version. */
export const schemaVersion = (): string => migrations.at(-1)?.name ?? "";

/** The newest migration applied to the database; empty for a database without any. */
export const appliedVersion = async (database: BrainDatabase): Promise<string> =>
  (await appliedMigrations(database as unknown as Database<unknown>)).at(-1) ?? "";

/** Compares the applied migrations with those of this program; changes nothing. */
export async function migrationState(
  database: BrainDatabase,
): Promise<{ newest: string; missing: string[]; unknown: string[] }> {
  const applied = await appliedMigrations(database as unknown as Database<unknown>);
  const known = migrations.map(({ name }) => name);
  return {
    newest: applied.at(-1) ?? "",
    missing: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  };
}

/** Makes the files of an embedded database private. @returns warnings for the log */
export const secureDatabase = ({ url }: Pick<StorageOptions, "url">): string[] =>
  url.startsWith("sqlite:") ? secureDatabaseFiles(sqlitePath(url)) : [];

/** The database options from the settings. */
export function storageOptions({ values, home }: LoadedSettings<BrainSettings>, log: Log): StorageOptions {
  return {
    url: values.SVC_DATABASE_URL === "" ? `sqlite://${join(home, "svc.db")}` : values.SVC_DATABASE_URL,
    synchronous: values.SVC_SQLITE_SYNCHRONOUS,
    poolSize: values.SVC_DATABASE_POOL_SIZE,
    maxOverflow: values.SVC_DATABASE_MAX_OVERFLOW,
    statementTimeoutMs: values.SVC_DB_STATEMENT_TIMEOUT_MS,
    lockTimeoutMs: values.SVC_DB_LOCK_TIMEOUT_MS,
    idleInTransactionMs: values.SVC_DB_IDLE_IN_TX_TIMEOUT_MS,
    inactiveConnectionSeconds: values.SVC_DATABASE_MAX_INACTIVE_CONNECTION_LIFETIME_SECONDS,
    requireTls: needsDatabaseTls(values),
    onError: (error: Error) => log.warn("database.connection_lost", { message: error.message }),
  };
}
