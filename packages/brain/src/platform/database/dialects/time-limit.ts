import { type RawBuilder, sql } from "kysely";
import type { Database } from "../database.ts";

type Reading<Schema> = Pick<Database<Schema>, "dialect" | "read" | "slow">;

/** Time limit of one statement whose complete result is needed. */
const maxStatementMs = 10_000;

/** On the server database, runs a query through an index and within a time limit; null when it timed out. */
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

/** Whether the server database cancelled a statement at its time limit. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === "57014";

/** Runs a query within a time limit; null when it timed out. Only the server database has the limit: the embedded one gets only short queries. */
export async function withinTime<Row, Schema>(
  database: Reading<Schema>,
  query: RawBuilder<Row>,
  timeoutMs: number,
): Promise<Row[] | null> {
  if (database.dialect === "sqlite") return (await query.execute(database.slow)).rows;
  return throughIndex(database, query, timeoutMs);
}
