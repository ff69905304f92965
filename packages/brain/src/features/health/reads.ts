import { sql } from "kysely";
import type { BrainDatabase } from "../../schema/tables/index.ts";

export interface DatabaseFacts {
  readonly version: string;
  readonly sizeBytes: number | null;
}

/** Version and size of the database, as it tells them itself. */
export async function readDatabaseFacts({
  dialect,
  read,
}: Pick<BrainDatabase, "dialect" | "read">): Promise<DatabaseFacts> {
  const query =
    dialect === "postgres"
      ? sql<{ version: string; size: number }>`SELECT current_setting('server_version') AS version,
          pg_database_size(current_database()) AS size`
      : sql<{ version: string; size: number }>`SELECT sqlite_version() AS version,
          (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size) AS size`;
  const { rows } = await query.execute(read);
  const [row] = rows;
  return { version: row?.version ?? "", sizeBytes: row === undefined ? null : Number(row.size) };
}
