import { sql } from "kysely";
import type { Database } from "./database.ts";

/** What time the server database has; null for the embedded one, which has this machine's. */
export async function readDatabaseTime<Schema>({
  dialect,
  read,
}: Pick<Database<Schema>, "dialect" | "read">): Promise<Date | null> {
  if (dialect === "sqlite") return null;
  const { rows } = await sql<{ now: Date }>`SELECT clock_timestamp() AS now`.execute(read);
  return rows[0]?.now ?? null;
}
