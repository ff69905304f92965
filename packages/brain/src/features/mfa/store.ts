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

/** What of a user's row is about the second factor. */
export const findFactor = (db: Db, userId: string): Promise<Factor | undefined> =>
  db.selectFrom("users").select(factorColumns).where("id", "=", userId).executeTakeFirst();

/** As `findFactor`, and makes other transactions about the same factor wait for this one; the first thing that such a transaction does. */
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

/** Makes the begun secret the active one; the caller holds the lock of the factor. */
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

/** Ends a second factor, and what was begun of a new one. */
export async function clearFactor(tx: Tx<Tables>, userId: string): Promise<void> {
  await tx
    .updateTable("users")
    .set({ ...noFactor, mfa_secret: null, mfa_pending_secret: null, mfa_enrolled_at: null })
    .where("id", "=", userId)
    .execute();
}

/** Takes a step of the active secret: each is used once, and none before it any more. @returns false when it was taken. */
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

/** Uses up a recovery code. @returns false when it is none of the user's, or was used. */
export async function takeRecoveryCode(tx: Tx<Tables>, userId: string, digests: readonly string[]): Promise<boolean> {
  const ofUser = tx.deleteFrom("mfa_recovery_codes").where("user_id", "=", userId);
  return (await affectedRows(ofUser.where("code_hash", "in", digests))) > 0;
}

/** Ends the count of wrong codes. */
export async function noteRightCode(tx: Tx<Tables>, userId: string): Promise<void> {
  await tx.updateTable("users").set({ mfa_failed_codes: 0, mfa_locked_until: null }).where("id", "=", userId).execute();
}

/** Counts a wrong code. @returns whether it is the one that locks the factor. */
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

/** Puts new recovery codes in the place of all that are left; none only removes those. */
export async function replaceRecoveryCodes(
  tx: Tx<Tables>,
  userId: string,
  rows: readonly RecoveryCodeRow[],
): Promise<void> {
  await tx.deleteFrom("mfa_recovery_codes").where("user_id", "=", userId).execute();
  if (rows.length > 0) await tx.insertInto("mfa_recovery_codes").values(rows).execute();
}

/** Stamps the beginning of the delay, once and for all. @returns false when it had begun. */
export const startEnforcement = (tx: Tx<Tables>, userId: string, now: Date): Promise<boolean> =>
  changesOne(
    tx
      .updateTable("users")
      .set({ mfa_enforcement_started_at: now })
      .where("id", "=", userId)
      .where("mfa_enforcement_started_at", "is", null),
  );

/** Notes in a session that its user verified the second factor now, which is a proof of who uses it. */
export const stampVerified = (tx: Tx<Tables>, sessionId: string, now: Date): Promise<void> =>
  stampSession(tx, sessionId, { mfa_verified_at: now, last_proof_at: now });

/** Notes in a session that its user gave the password now. */
export const stampProved = (tx: Tx<Tables>, sessionId: string, now: Date): Promise<void> =>
  stampSession(tx, sessionId, { last_proof_at: now });

/** @throws ApiError `unauthenticated` when the session has ended since the request was let in: what the transaction did is undone. */
async function stampSession(
  tx: Tx<Tables>,
  sessionId: string,
  stamps: Partial<Pick<SessionRow, "mfa_verified_at" | "last_proof_at">>,
): Promise<void> {
  const isThere = await changesOne(tx.updateTable("sessions").set(stamps).where("id", "=", sessionId));
  if (!isThere) throw new ApiError("unauthenticated");
}

/** Forgets in a user's sessions what an ended factor vouched for. */
export async function clearStamps(tx: Tx<Tables>, userId: string): Promise<void> {
  await tx
    .updateTable("sessions")
    .set({ mfa_verified_at: null, is_mfa_spared: false })
    .where("user_id", "=", userId)
    .execute();
}
