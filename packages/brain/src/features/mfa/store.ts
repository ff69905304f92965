import type { Tx } from "../../platform/database/database.ts";
import { affectedRows, changesOne, countOf } from "../../platform/database/results.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import type { Db, RecoveryCodeRow, SessionRow, Tables, UserRow } from "../../schema/tables/index.ts";

const factorColumns = [
  "id",
  "email",
  "is_admin",
  "mfa_secret",
  "mfa_pending_secret",
  "mfa_enrolled_at",
  "mfa_enforcement_started_at",
  "mfa_locked_until",
] as const;
export type Factor = Pick<UserRow, (typeof factorColumns)[number]>;

const noFactor = { mfa_last_step: null, mfa_failed_codes: 0, mfa_locked_until: null };

/** The second-factor columns of a user's row. */
export const findFactor = (db: Db, userId: string): Promise<Factor | undefined> =>
  db.selectFrom("users").select(factorColumns).where("id", "=", userId).executeTakeFirst();

/** As `findFactor`, and makes other transactions on the same factor wait; the first statement of such a transaction. */
export const lockFactor = (tx: Tx<Tables>, userId: string): Promise<Factor | undefined> =>
  tx
    .updateTable("users")
    .set((eb) => ({ mfa_failed_codes: eb.ref("mfa_failed_codes") }))
    .where("id", "=", userId)
    .returning(factorColumns)
    .executeTakeFirst();

export const countRecoveryCodes = (db: Db, userId: string): Promise<number> =>
  countOf(
    db
      .selectFrom("mfa_recovery_codes")
      .select((eb) => eb.fn.countAll<string | number>().as("count"))
      .where("user_id", "=", userId),
  );

export async function setPendingSecret(tx: Tx<Tables>, userId: string, sealed: string): Promise<void> {
  await tx.updateTable("users").set({ mfa_pending_secret: sealed }).where("id", "=", userId).execute();
}

/** Activates the pending secret; the caller holds the lock of the factor. */
export async function activateSecret(
  tx: Tx<Tables>,
  confirmed: { readonly userId: string; readonly sealed: string; readonly step: number; readonly now: Date },
): Promise<void> {
  const { userId, sealed, step, now } = confirmed;
  await tx
    .updateTable("users")
    .set({ ...noFactor, mfa_secret: sealed, mfa_pending_secret: null, mfa_enrolled_at: now, mfa_last_step: step })
    .where("id", "=", userId)
    .execute();
}

/** Removes a second factor, and a pending enrollment. */
export async function clearFactor(tx: Tx<Tables>, userId: string): Promise<void> {
  await tx
    .updateTable("users")
    .set({ ...noFactor, mfa_secret: null, mfa_pending_secret: null, mfa_enrolled_at: null })
    .where("id", "=", userId)
    .execute();
}

/** Uses a step of the active secret: each is accepted once, and no earlier one afterwards. @returns false when it was already used. */
export const takeStep = (
  tx: Tx<Tables>,
  use: { readonly userId: string; readonly sealed: string; readonly step: number },
): Promise<boolean> =>
  changesOne(
    tx
      .updateTable("users")
      .set({ mfa_last_step: use.step, mfa_secret: use.sealed, mfa_failed_codes: 0, mfa_locked_until: null })
      .where("id", "=", use.userId)
      .where((eb) => eb.or([eb("mfa_last_step", "is", null), eb("mfa_last_step", "<", use.step)])),
  );

/** Uses up a recovery code. @returns false when the user has no such unused code. */
export async function takeRecoveryCode(tx: Tx<Tables>, userId: string, digests: readonly string[]): Promise<boolean> {
  const ofUser = tx.deleteFrom("mfa_recovery_codes").where("user_id", "=", userId);
  return (await affectedRows(ofUser.where("code_hash", "in", digests))) > 0;
}

/** Resets the count of wrong codes. */
export async function noteRightCode(tx: Tx<Tables>, userId: string): Promise<void> {
  await tx.updateTable("users").set({ mfa_failed_codes: 0, mfa_locked_until: null }).where("id", "=", userId).execute();
}

/** Counts a wrong code. @returns whether it locks the factor. */
export async function noteWrongCode(
  tx: Tx<Tables>,
  { userId, threshold, lockedUntil }: { userId: string; threshold: number; lockedUntil: Date },
): Promise<boolean> {
  await tx
    .updateTable("users")
    .set((eb) => ({ mfa_failed_codes: eb("mfa_failed_codes", "+", 1) }))
    .where("id", "=", userId)
    .execute();
  const { numUpdatedRows } = await tx
    .updateTable("users")
    .set({ mfa_locked_until: lockedUntil })
    .where("id", "=", userId)
    .where("mfa_failed_codes", ">=", threshold)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Replaces all remaining recovery codes; an empty list only removes them. */
export async function replaceRecoveryCodes(
  tx: Tx<Tables>,
  userId: string,
  rows: readonly RecoveryCodeRow[],
): Promise<void> {
  await tx.deleteFrom("mfa_recovery_codes").where("user_id", "=", userId).execute();
  if (rows.length > 0) await tx.insertInto("mfa_recovery_codes").values(rows).execute();
}

/** Records the beginning of the delay, once. @returns false when it had already begun. */
export const startEnforcement = (tx: Tx<Tables>, userId: string, now: Date): Promise<boolean> =>
  changesOne(
    tx
      .updateTable("users")
      .set({ mfa_enforcement_started_at: now })
      .where("id", "=", userId)
      .where("mfa_enforcement_started_at", "is", null),
  );

/** Records in a session that its user verified the second factor now, which also proves the user's identity. */
export const stampVerified = (tx: Tx<Tables>, sessionId: string, now: Date): Promise<void> =>
  stampSession(tx, sessionId, { mfa_verified_at: now, last_proof_at: now });

/** Records in a session that its user gave the password now. */
export const stampProved = (tx: Tx<Tables>, sessionId: string, now: Date): Promise<void> =>
  stampSession(tx, sessionId, { last_proof_at: now });

/** @throws ApiError `unauthenticated` when the session ended after the request was admitted: the transaction is rolled back. */
async function stampSession(
  tx: Tx<Tables>,
  sessionId: string,
  stamps: Partial<Pick<SessionRow, "mfa_verified_at" | "last_proof_at">>,
): Promise<void> {
  const isThere = await changesOne(tx.updateTable("sessions").set(stamps).where("id", "=", sessionId));
  if (!isThere) throw new ApiError("unauthenticated");
}

/** Clears the verifications in a user's sessions that relied on a removed factor. */
export async function clearStamps(tx: Tx<Tables>, userId: string): Promise<void> {
  await tx
    .updateTable("sessions")
    .set({ mfa_verified_at: null, is_mfa_spared: false })
    .where("user_id", "=", userId)
    .execute();
}
