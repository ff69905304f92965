import { type RawBuilder, sql } from "kysely";
import type { Database } from "../database.ts";
import { byDialect } from "./by-dialect.ts";

export interface DatabaseFacts {
  readonly version: string;
  readonly sizeBytes: number | null;
}

/** Version and size of the database, as it reports them itself. */
export async function readDatabaseFacts<Schema>({ read }: Pick<Database<Schema>, "read">): Promise<DatabaseFacts> {
  const { rows } = await byDialect<{ version: string; size: number }>({
    postgres: sql`SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS size`,
    sqlite: sql`SELECT sqlite_version() AS version,
      (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size) AS size`,
  }).execute(read);
  const [row] = rows;
  return { version: row?.version ?? "", sizeBytes: row === undefined ? null : Number(row.size) };
}

/** The server database's time; null for the embedded one, which uses this machine's clock. */
export async function readDatabaseTime<Schema>({ read }: Pick<Database<Schema>, "read">): Promise<Date | null> {
  const { rows } = await byDialect<{ now: Date | null }>({
    postgres: sql`SELECT clock_timestamp() AS now`,
    sqlite: sql`SELECT NULL AS now`,
  }).execute(read);
  return rows[0]?.now ?? null;
}

/** The database's time in microseconds since the epoch, evaluated again at each occurrence. */
export const databaseMicros: RawBuilder<number> = byDialect({
  postgres: sql`(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`,
  sqlite: sql`CAST(unixepoch('subsec') * 1000 AS INTEGER) * 1000`,
});
