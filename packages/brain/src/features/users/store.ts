import type { Updateable } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import { changesOne, findsRow } from "../../platform/database/results.ts";
import type { Db, Tables, UserRow } from "../../schema/tables/index.ts";

export const findByEmail = (db: Db, emailKey: string): Promise<UserRow | undefined> =>
  db.selectFrom("users").selectAll().where("email_key", "=", emailKey).executeTakeFirst();

export const findById = (db: Db, id: string): Promise<UserRow | undefined> =>
  db.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();

/** Whether any account exists, active or not. */
export const isAnyUser = (db: Db): Promise<boolean> => findsRow(db.selectFrom("users").select("id").limit(1));

export async function insertUser(tx: Tx<Tables>, row: UserRow): Promise<void> {
  await tx.insertInto("users").values(row).execute();
}

export async function updateUser(tx: Tx<Tables>, id: string, changes: Updateable<UserRow>): Promise<void> {
  await tx.updateTable("users").set(changes).where("id", "=", id).execute();
}

/** Reads an account for update; other transactions wait. */
export const lockUser = (tx: Tx<Tables>, id: string): Promise<UserRow | undefined> =>
  tx.selectFrom("users").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();

/** Accounts, newest first. */
export const listUsers = (db: Db, { limit, offset }: { limit: number; offset: number }): Promise<UserRow[]> =>
  db
    .selectFrom("users")
    .selectAll()
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();

export const isOtherAdminActive = (tx: Tx<Tables>, id: string): Promise<boolean> =>
  findsRow(
    tx
      .selectFrom("users")
      .select("id")
      .where("is_admin", "=", true)
      .where("is_active", "=", true)
      .where("id", "<>", id)
      .limit(1),
  );

/** Deletes an account; foreign keys delete its memberships, sessions, keys, saved views and second factor. */
export async function deleteUser(tx: Tx<Tables>, id: string): Promise<void> {
  await tx.deleteFrom("users").where("id", "=", id).execute();
}

/** Deletes the trusted browsers of this user; returns how many were still valid. */
export async function deleteTrustedDevices(tx: Tx<Tables>, userId: string): Promise<number> {
  const deleted = tx.deleteFrom("trusted_devices").where("user_id", "=", userId).returning("revoked_at");
  return (await deleted.execute()).filter(({ revoked_at }) => revoked_at === null).length;
}

export async function deleteResetTokens(tx: Tx<Tables>, userId: string): Promise<void> {
  await tx.deleteFrom("password_reset_tokens").where("user_id", "=", userId).execute();
}

/**
 * Records a successful sign-in with the password of `hash`, and resets the failure count.
 *
 * @returns false when the account is inactive, locked at `now`, or its password has changed: nothing is written, and the sign-in fails.
 */
export const noteSuccess = (
  tx: Tx<Tables>,
  { id, password_hash: hash }: Pick<UserRow, "id" | "password_hash">,
  now: Date,
): Promise<boolean> =>
  changesOne(
    tx
      .updateTable("users")
      .set({ failed_logins: 0, locked_until: null, last_login_at: now })
      .where("id", "=", id)
      .where("password_hash", "=", hash)
      .where("is_active", "=", true)
      .where((eb) => eb.or([eb("locked_until", "is", null), eb("locked_until", "<=", now)])),
  );

/**
 * Counts a failed sign-in since the last success; at `threshold` the account is locked. Failures during a lock change nothing, so that an
 * attacker cannot prolong it.
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
