import { createHash } from "node:crypto";
import { type Kysely, sql } from "kysely";
import type { DialectName } from "./database.ts";

/**
 * Makes transactions that count something and act on the count wait for one another until they end ("last active project", "users
 * table empty"; spec part 3, section 5.1 rule 14). The embedded database has one writer, which is that lock.
 */
export async function lockSubject<Tables>(tx: Kysely<Tables>, dialect: DialectName, subject: string): Promise<void> {
  if (dialect !== "postgres") return;
  const number = createHash("sha256").update(`svc.brain.subjects:${subject}`).digest().readBigInt64BE(0);
  await sql`SELECT pg_advisory_xact_lock(${number.toString()}::bigint)`.execute(tx);
}
