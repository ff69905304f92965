import { type Kysely, sql } from "kysely";
import type { Database } from "./database.ts";
import { type ColumnTypes, columnTypes } from "./dialects/column-types.ts";
import { lockSchema } from "./dialects/locks.ts";

/** One step of the schema; its name is `NNNN_words`. It never changes once it is released. */
export interface Migration {
  readonly name: string;
  /** Run one after another; constants of this program, never input. */
  statements(types: ColumnTypes): readonly string[];
}

interface MigrationTables {
  schema_migrations: { name: string; applied_at: Date };
}

/** Names of the migrations already applied, oldest first; empty for a database without any. */
export async function appliedMigrations(database: Database<unknown>): Promise<string[]> {
  const db = database.read as Kysely<MigrationTables>;
  const tables = await db.introspection.getTables();
  if (!tables.some(({ name }) => name === "schema_migrations")) return [];
  const rows = await db.selectFrom("schema_migrations").select("name").orderBy("name").execute();
  return rows.map(({ name }) => name);
}

/** The database holds other migrations than this build knows or needs. */
export class SchemaMismatch extends Error {}

/** @throws SchemaMismatch when the database holds a migration that this build does not know: it is newer than the program. */
function refuseNewer(applied: readonly string[], migrations: readonly Migration[]): void {
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = applied.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new SchemaMismatch(`the database is newer than this program: it holds the migrations ${unknown.join(", ")}`);
  }
}

/** Changes nothing. @throws SchemaMismatch unless the database holds exactly these migrations. */
export async function checkMigrated(database: Database<unknown>, migrations: readonly Migration[]): Promise<void> {
  const applied = await appliedMigrations(database);
  refuseNewer(applied, migrations);
  const missing = migrations.map(({ name }) => name).filter((name) => !applied.includes(name));
  if (missing.length > 0) {
    throw new SchemaMismatch(`the database lacks the migrations ${missing.join(", ")}; SVC_AUTO_MIGRATE is off`);
  }
}

/**
 * Applies what is missing, in order, in one transaction under a lock, so that two starting processes never meet in it.
 *
 * @returns the names applied now.
 * @throws SchemaMismatch when the database holds a migration that this build does not know (it is newer than the program).
 */
export async function migrate(
  database: Database<unknown>,
  migrations: readonly Migration[],
  options: { now: Date; lockTimeoutMs: number },
): Promise<string[]> {
  return database.write(
    async (transaction) => {
      const tx = transaction as unknown as Kysely<MigrationTables>;
      await lockSchema(tx, options.lockTimeoutMs);
      const { instant } = columnTypes[database.dialect];
      await tx.schema
        .createTable("schema_migrations")
        .ifNotExists()
        .addColumn("name", "text", (column) => column.primaryKey())
        .addColumn("applied_at", sql.raw(instant), (column) => column.notNull())
        .execute();
      const rows = await tx.selectFrom("schema_migrations").select("name").execute();
      const applied = new Set(rows.map(({ name }) => name));
      refuseNewer([...applied], migrations);
      const fresh = migrations.filter(({ name }) => !applied.has(name));
      for (const { name, statements } of fresh) {
        for (const statement of statements(columnTypes[database.dialect])) await sql.raw(statement).execute(tx);
        await tx.insertInto("schema_migrations").values({ name, applied_at: options.now }).execute();
      }
      return fresh.map(({ name }) => name);
    },
    { alone: true },
  );
}
