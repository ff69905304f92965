import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../../platform/database/database.ts";
import type { Tables } from "../../../schema/tables/index.ts";

type Db = Database<Tables>;

/** Runs a query that must not read its table from end to end, and not for longer than it may; null when it was ended for its time. */
export async function throughIndex<Row>(
  database: Db,
  query: RawBuilder<Row>,
  timeoutMs: number,
): Promise<Row[] | null> {
  try {
    return await database.read.transaction().execute(async (tx) => {
      await sql`SELECT set_config('statement_timeout', ${String(Math.ceil(timeoutMs))}, true), set_config('enable_seqscan', 'off', true)`.execute(
        tx,
      );
      return (await query.execute(tx)).rows;
    });
  } catch (error) {
    if (isTimeout(error)) return null;
    throw error;
  }
}

/** Whether a statement of the server database was ended for its time. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === "57014";

/** What one statement may take where the whole answer is wanted. */
const maxStatementMs = 10_000;

/** Null when the time was used up. SQLite's statements are short by what they are asked; the server ends its own. */
export async function withinTime<Row>(database: Db, query: RawBuilder<Row>, timeoutMs: number): Promise<Row[] | null> {
  if (database.dialect === "sqlite") return (await query.execute(database.slow)).rows;
  return throughIndex(database, query, Math.min(Math.max(1, timeoutMs), maxStatementMs));
}
