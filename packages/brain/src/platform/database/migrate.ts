import { type Kysely, sql } from "kysely";
import type { Database, DialectName } from "./database.ts";
import { byDialect } from "./dialects/by-dialect.ts";
import { lockSchema } from "./dialects/locks.ts";

/** One step of the schema. `up` runs in a transaction; names are `NNNN_words` and never change once released. */
export interface Migration {
  readonly name: string;
  up(db: Kysely<unknown>, dialect: DialectName): Promise<void>;
}

interface MigrationTables {
  schema_migrations: { name: string; applied_at: Date };
}

const instantType = byDialect({ postgres: sql`timestamptz`, sqlite: sql`integer` });

/** Names of the migrations already applied, oldest first; empty for a database without any. */
export async function appliedMigrations(database: Database<unknown>): Promise<string[]> {
  const db = database.read as Kysely<MigrationTables>;
  const tables = await db.introspection.getTables();
  if (!tables.some(({ name }) => name === "schema_migrations")) return [];
  const rows = await db.selectFrom("schema_migrations").select("name").orderBy("name").execute();
  return rows.map(({ name }) => name);
}

/** When each of these migrations was applied; those that one start applied have the same instant. */
export async function migratedAt(database: Database<unknown>, names: readonly string[]): Promise<Map<string, Date>> {
  const db = database.read as Kysely<MigrationTables>;
  const rows = await db
    .selectFrom("schema_migrations")
    .select(["name", "applied_at"])
    .where("name", "in", names)
    .execute();
  return new Map(rows.map(({ name, applied_at }) => [name, applied_at]));
}

/** @throws when the database holds a migration that this build does not know: it is newer than the program. */
function refuseNewer(applied: readonly string[], migrations: readonly Migration[]): void {
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = applied.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new Error(`the database is newer than this program: it holds the migrations ${unknown.join(", ")}`);
  }
}

/** Changes nothing. @throws unless the database holds exactly these migrations. */
export async function checkMigrated(database: Database<unknown>, migrations: readonly Migration[]): Promise<void> {
  const applied = await appliedMigrations(database);
  refuseNewer(applied, migrations);
  const missing = migrations.map(({ name }) => name).filter((name) => !applied.includes(name));
  if (missing.length > 0) {
    throw new Error(`the database lacks the migrations ${missing.join(", ")}; SVC_AUTO_MIGRATE is off`);
  }
}

/**
 * Applies what is missing, in order, in one transaction under a lock, so that two starting processes never meet in it.
 *
 * @returns the names applied now.
 * @throws when the database holds a migration that this build does not know (it is newer than the program).
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
      await tx.schema
        .createTable("schema_migrations")
        .ifNotExists()
        .addColumn("name", "text", (column) => column.primaryKey())
        .addColumn("applied_at", instantType, (column) => column.notNull())
        .execute();
      const rows = await tx.selectFrom("schema_migrations").select("name").execute();
      const applied = new Set(rows.map(({ name }) => name));
      refuseNewer([...applied], migrations);
      const fresh = migrations.filter(({ name }) => !applied.has(name));
      for (const { name, up } of fresh) {
        await up(tx as unknown as Kysely<unknown>, database.dialect);
        await tx.insertInto("schema_migrations").values({ name, applied_at: options.now }).execute();
      }
      return fresh.map(({ name }) => name);
    },
    { alone: true },
  );
}
