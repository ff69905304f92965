import type { Kysely, Updateable } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { Tables, UserRow } from "../../schema/tables/index.ts";

type Db = Kysely<Tables>;

export const findByEmail = (db: Db, emailKey: string): Promise<UserRow | undefined> =>
  db.selectFrom("users").selectAll().where("email_key", "=", emailKey).executeTakeFirst();

export const findById = (db: Db, id: string): Promise<UserRow | undefined> =>
  db.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();

/** Whether any account exists, active or not. */
export async function isAnyUser(db: Db): Promise<boolean> {
  return (await db.selectFrom("users").select("id").limit(1).executeTakeFirst()) !== undefined;
}

export async function insertUser(tx: Tx<Tables>, row: UserRow): Promise<void> {
  await tx.insertInto("users").values(row).execute();
}

export async function updateUser(tx: Tx<Tables>, id: string, changes: Updateable<UserRow>): Promise<void> {
  await tx.updateTable("users").set(changes).where("id", "=", id).execute();
}

/**
 * Notes a successful sign-in and ends the count of failures.
 *
 * @returns false for an account that is inactive or locked at `now`: then nothing changed, and the sign-in fails.
 */
export async function noteSuccess(tx: Tx<Tables>, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("users")
    .set({ failed_logins: 0, locked_until: null, last_login_at: now })
    .where("id", "=", id)
    .where("is_active", "=", true)
    .where((eb) => eb.or([eb("locked_until", "is", null), eb("locked_until", "<=", now)]))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * Counts a failed sign-in since the last success; from `threshold` on the account is locked. Failures while it is locked change nothing,
 * so that nobody can prolong the lock.
 *
 * @returns whether the account is locked now.
 */
export async function noteFailure(
  tx: Tx<Tables>,
  { id, now, threshold, lockedUntil }: { id: string; now: Date; threshold: number; lockedUntil: Date },
): Promise<boolean> {
  await tx
    .updateTable("users")
    .set((eb) => ({ failed_logins: eb("failed_logins", "+", 1) }))
    .where("id", "=", id)
    .where((eb) => eb.or([eb("locked_until", "is", null), eb("locked_until", "<=", now)]))
    .execute();
  await tx
    .updateTable("users")
    .set({ locked_until: lockedUntil })
    .where("id", "=", id)
    .where("failed_logins", ">=", threshold)
    .where((eb) => eb.or([eb("locked_until", "is", null), eb("locked_until", "<=", now)]))
    .execute();
  const row = await tx.selectFrom("users").select("locked_until").where("id", "=", id).executeTakeFirst();
  return row?.locked_until !== null && row?.locked_until !== undefined && row.locked_until > now;
}
