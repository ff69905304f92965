/** A PostgreSQL database in which reads of tasks stall. */
import type { OpenedTestDatabase } from "@svc/testkit/databases";
import { sql } from "kysely";
import type { Database } from "../src/platform/database/database.ts";
import type { Tables } from "../src/schema/tables/index.ts";

const stall = "SET search_path TO stalled, public";

/**
 * The same database, but statements over tasks never end on `read`, where those with a time limit run. On `slow` they do. The caller
 * closes it.
 */
export async function stalledReads(
  opened: OpenedTestDatabase,
): Promise<{ database: Database<Tables>; close(): Promise<void> }> {
  await opened.database.write(async (tx) => {
    await sql`CREATE SCHEMA IF NOT EXISTS stalled`.execute(tx);
    await sql`CREATE OR REPLACE VIEW stalled.tasks AS SELECT tasks.* FROM public.tasks, pg_sleep(60)`.execute(tx);
  });
  const again = await opened.openAgain();
  if (again.bulk.dialect === "postgres") {
    const { pool } = again.bulk;
    pool.on("connect", (client) => void client.query(stall));
    // Opening leaves a pooled connection.
    await pool.query(stall);
  }
  return { database: { ...opened.database, read: again.read }, close: () => again.close() };
}
