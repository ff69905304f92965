import { type RawBuilder, sql } from "kysely";
import type { Database } from "../database.ts";

type Reading<Schema> = Pick<Database<Schema>, "dialect" | "read" | "slow">;

/** What one statement may take where the whole answer is wanted. */
const maxStatementMs = 10_000;

/** Server database: runs a query that must not read its table from end to end, nor for longer than it may; null when it was ended for its time. */
export async function throughIndex<Row, Schema>(
  { read }: Pick<Reading<Schema>, "read">,
  query: RawBuilder<Row>,
  timeoutMs: number,
): Promise<Row[] | null> {
  const limitMs = Math.ceil(Math.min(Math.max(1, timeoutMs), maxStatementMs));
  const set = sql`SELECT set_config('statement_timeout', ${String(limitMs)}, true), set_config('enable_seqscan', 'off', true)`;
  try {
    return await read.transaction().execute(async (tx) => {
      await set.execute(tx);
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

/** Null when the time was used up. Statements of the embedded database are short by what they ask; the server ends its own. */
export async function withinTime<Row, Schema>(
  database: Reading<Schema>,
  query: RawBuilder<Row>,
  timeoutMs: number,
): Promise<Row[] | null> {
  if (database.dialect === "sqlite") return (await query.execute(database.slow)).rows;
  return throughIndex(database, query, timeoutMs);
}
