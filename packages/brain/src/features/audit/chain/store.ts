import { type QueryCreator, sql } from "kysely";
import type { Tx } from "../../../platform/database/database.ts";
import { databaseMicros } from "../../../platform/database/dialects/database-facts.ts";
import { forUpdate } from "../../../platform/database/dialects/locks.ts";
import { updateWith } from "../../../platform/database/dialects/one-statement.ts";
import { commitTogether } from "../../../platform/database/dialects/shared-flush.ts";
import { affectedRows } from "../../../platform/database/results.ts";
import type { AuditLogRow, Db, Tables } from "../../../schema/tables/index.ts";
import type { SealedState } from "./chain.ts";

/** Locks the chain's state row until the commit and reads it, with the database's time after the lock was taken. */
export async function lockState(tx: Tx<Tables>): Promise<(SealedState & { now_us: number }) | undefined> {
  // The outer row is computed after the inner one is locked, so the time is never older than the wait.
  const { rows } = await sql<SealedState & { now_us: number }>`
    WITH locked AS MATERIALIZED (SELECT state, state_hmac FROM audit_chain_state WHERE singleton = 1 ${forUpdate})
    SELECT ${commitTogether(tx)}, state, state_hmac, ${databaseMicros} AS now_us FROM locked`.execute(tx);
  return rows[0];
}

/** The state row as committed, unlocked. */
export const readState = (db: Db): Promise<SealedState | undefined> =>
  db.selectFrom("audit_chain_state").select(["state", "state_hmac"]).where("singleton", "=", 1).executeTakeFirst();

/** Rows per statement, so that no statement reaches the timeout. */
const clearedAtOnce = 20_000;

/**
 * Clears the user id, so that only the signed actor_ref names the actor, in rows later than `afterUs`.
 *
 * @returns the time of the last row that may have been cleared, so that later rows can be checked again; no row is visited twice.
 */
export async function clearUserId(tx: Tx<Tables>, userId: string, afterUs: number): Promise<number> {
  let doneUs = afterUs;
  for (;;) {
    const later = tx.selectFrom("audit_log").where("user_id", "=", userId).where("occurred_us", ">", doneUs);
    const rows = await later.select("occurred_us").orderBy("occurred_us").limit(clearedAtOnce).execute();
    const lastUs = rows.at(-1)?.occurred_us;
    if (lastUs === undefined) return doneUs;
    await tx
      .updateTable("audit_log")
      .set({ user_id: null })
      .where("user_id", "=", userId)
      .where("occurred_us", ">", doneUs)
      .where("occurred_us", "<=", lastUs)
      .execute();
    doneUs = Number(lastUs);
  }
}

/** Inserts rows and updates the state. */
export async function writeChain(
  tx: Tx<Tables>,
  { rows, sealed }: { rows: AuditLogRow[]; sealed: SealedState },
): Promise<void> {
  const save = (db: QueryCreator<Tables>) => db.updateTable("audit_chain_state").set(sealed).where("singleton", "=", 1);
  if (rows.length === 0) await save(tx).execute();
  else await updateWith(tx, save, (db) => db.insertInto("audit_log").values(rows));
}

export async function insertState(tx: Tx<Tables>, sealed: SealedState): Promise<void> {
  await tx
    .insertInto("audit_chain_state")
    .values({ singleton: 1, ...sealed })
    .execute();
}

/** Id of any row; null in an empty log. */
export async function firstRowId(db: Db): Promise<string | null> {
  const row = await db.selectFrom("audit_log").select("id").limit(1).executeTakeFirst();
  return row?.id ?? null;
}

/** When the newest row was written; null for an empty log. */
export async function newestRowAt(db: Db): Promise<Date | null> {
  const row = await db
    .selectFrom("audit_log")
    .select((eb) => eb.fn.max("occurred_us").as("newest"))
    .executeTakeFirst();
  return row?.newest == null ? null : new Date(Math.floor(Number(row.newest) / 1000));
}

/** Total number of rows, and the number before an instant. */
export async function countBefore(db: Db, instant: Date): Promise<{ all: number; before: number }> {
  const row = await db
    .selectFrom("audit_log")
    .select((eb) => [
      eb.fn.countAll<number | string>().as("all"),
      eb.fn
        .countAll<number | string>()
        .filterWhere("occurred_us", "<", instant.getTime() * 1000)
        .as("before"),
    ])
    .executeTakeFirstOrThrow();
  return { all: Number(row.all), before: Number(row.before) };
}

/** The addresses of the rows of an action since an instant, at most `limit` of them. */
export async function addressesSince(
  db: Db,
  { action, since, limit }: { action: string; since: Date; limit: number },
): Promise<(string | null)[]> {
  const rows = await db
    .selectFrom("audit_log")
    .select("source_ip")
    .where("action", "=", action)
    .where("occurred_us", ">=", since.getTime() * 1000)
    .limit(limit)
    .execute();
  return rows.map(({ source_ip }) => source_ip);
}

/** Deletes all rows up to and including this one, in chain order, and returns how many. */
export const deleteUpTo = (tx: Tx<Tables>, last: { occurred_us: number; id: string }): Promise<number> =>
  affectedRows(
    tx
      .deleteFrom("audit_log")
      .where(({ eb, refTuple, tuple }) => eb(refTuple("occurred_us", "id"), "<=", tuple(last.occurred_us, last.id))),
  );
