import { createHash } from "node:crypto";
import { type QueryExecutorProvider, type RawBuilder, sql } from "kysely";
import { byDialect, isEmbedded } from "./by-dialect.ts";

// The embedded database has one writer, so it needs no other lock. Statements built with `forUpdate()` and the like lock rows on the server
// database only. The functions here are for locks that need a statement of their own.

/**
 * Serializes transactions that count something and act on the count ("last active project", "users table empty").
 */
export async function lockSubject(tx: QueryExecutorProvider, subject: string): Promise<void> {
  if (isEmbedded(tx)) return;
  const number = createHash("sha256").update(`svc.brain.subjects:${subject}`).digest().readBigInt64BE(0);
  await sql`SELECT pg_advisory_xact_lock(${number.toString()}::bigint)`.execute(tx);
}

/** Serializes schema changes of several processes, each waiting at most `timeoutMs`; their statements have no time limit. */
export async function lockSchema(tx: QueryExecutorProvider, timeoutMs: number): Promise<void> {
  if (isEmbedded(tx)) return;
  await sql`SELECT set_config('lock_timeout', ${String(timeoutMs)}, true)`.execute(tx);
  await sql`SELECT set_config('statement_timeout', '0', true)`.execute(tx);
  await sql`SELECT pg_advisory_xact_lock(7305527114013)`.execute(tx);
}

/** Runs a query only for the locks on its rows. */
export async function lockRows(
  tx: QueryExecutorProvider,
  query: { execute(): Promise<readonly unknown[]> },
): Promise<void> {
  if (!isEmbedded(tx)) await query.execute();
}

/** FOR UPDATE, for statements that are written by hand. */
export const forUpdate: RawBuilder<unknown> = byDialect({ postgres: sql`FOR UPDATE`, sqlite: sql`` });
