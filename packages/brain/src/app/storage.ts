import type { Database } from "../platform/database/database.ts";
import { appliedMigrations, migrate } from "../platform/database/migrate.ts";
import { type OpenDatabaseOptions, openDatabase } from "../platform/database/open.ts";
import { migrations } from "../schema/migrations/index.ts";
import type { Tables } from "../schema/tables/index.ts";
import { threadEntries } from "./thread-entries.ts";

export type BrainDatabase = Database<Tables>;
export type StorageOptions = Omit<OpenDatabaseOptions, "writerEntry" | "readerEntry">;

/** Opens the brain's database without touching its schema. */
export const openStorage = (options: StorageOptions): Promise<BrainDatabase> =>
  openDatabase<Tables>({ ...options, ...threadEntries });

/** Brings the schema up to this program's and names what was applied. */
export const migrateStorage = (database: BrainDatabase, now: Date, lockTimeoutMs: number): Promise<string[]> =>
  migrate(database as unknown as Database<unknown>, migrations, { now, lockTimeoutMs });

/** Names of the migrations that this program knows but the database lacks. */
export async function missingMigrations(database: BrainDatabase): Promise<string[]> {
  const applied = new Set(await appliedMigrations(database as unknown as Database<unknown>));
  return migrations.map(({ name }) => name).filter((name) => !applied.has(name));
}

/** The newest migration that this program knows: its schema version. */
export const schemaVersion = (): string => migrations.at(-1)?.name ?? "";

/** The newest migration applied to the database; empty for a database without any. */
export const appliedVersion = async (database: BrainDatabase): Promise<string> =>
  (await appliedMigrations(database as unknown as Database<unknown>)).at(-1) ?? "";
