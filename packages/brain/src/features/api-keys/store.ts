import type { Tx } from "../../platform/database/database.ts";
import { affectedRows, changesOne, countOf, findsRow } from "../../platform/database/results.ts";
import type { ApiKeyRow, Db, Tables } from "../../schema/tables/index.ts";

/** Maximum active keys of one user; all of them are listed, so that no key is hidden. */
export const maxWorkingKeys = 1000;
const publicColumns = [
  "k.id",
  "k.name",
  "k.prefix",
  "k.scopes",
  "k.project_id",
  "p.slug as project_slug",
  "k.last_used_at",
  "k.last_used_ip",
  "k.expires_at",
  "k.revoked_at",
  "k.revoked_reason",
  "k.created_at",
  "k.allowed_cidrs",
] as const; // never token_hash

const keysWithProjects = (db: Db) =>
  db.selectFrom("api_keys as k").leftJoin("projects as p", "p.id", "k.project_id").select(publicColumns);

export type ShownKey = Awaited<ReturnType<typeof listKeys>>[number];

/** The user's active keys at `now`, newest first. */
export const listKeys = (db: Db, userId: string, now: Date) =>
  keysWithProjects(db)
    .where("k.user_id", "=", userId)
    .where("k.revoked_at", "is", null)
    .where((eb) => eb.or([eb("k.expires_at", "is", null), eb("k.expires_at", ">", now)]))
    .orderBy("k.created_at", "desc")
    .orderBy("k.id", "desc")
    .limit(maxWorkingKeys)
    .execute();

export const findKey = (db: Db, id: string): Promise<ShownKey> =>
  keysWithProjects(db).where("k.id", "=", id).executeTakeFirstOrThrow();

/** The unrevoked keys stored under one of the digests, with their owners' current state; the caller checks their expiry. */
export const keysOfDigests = (db: Db, digests: readonly string[]) =>
  db
    .selectFrom("api_keys as k")
    .innerJoin("users as u", "u.id", "k.user_id")
    .select([
      "k.token_hash",
      "k.id",
      "k.user_id",
      "k.project_id",
      "k.scopes",
      "k.allowed_cidrs",
      "k.expires_at",
      "k.last_used_at",
      "u.email",
      "u.display_name",
      "u.is_admin",
    ])
    .where("k.token_hash", "in", digests)
    .where("k.revoked_at", "is", null)
    .where("u.is_active", "=", true);

export const countWorkingKeys = (tx: Tx<Tables>, userId: string, now: Date): Promise<number> =>
  countOf(
    tx
      .selectFrom("api_keys")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("user_id", "=", userId)
      .where("revoked_at", "is", null)
      .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", now)])),
  );

export async function insertKey(tx: Tx<Tables>, row: ApiKeyRow): Promise<void> {
  await tx.insertInto("api_keys").values(row).execute();
}

/** Selects the user's key with this id for a change, if it is valid at `now`. */
const ownWorkingKey = (tx: Tx<Tables>, { userId, id, now }: { userId: string; id: string; now: Date }) =>
  tx
    .updateTable("api_keys")
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", now)]));

/** Returns false when the user has no such active key. */
export const changeKey = (
  tx: Tx<Tables>,
  key: { userId: string; id: string; now: Date },
  changes: Partial<Pick<ApiKeyRow, "allowed_cidrs" | "revoked_at" | "revoked_reason">>,
): Promise<boolean> => changesOne(ownWorkingKey(tx, key).set({ ...changes, updated_at: key.now }));

/**
 * Revokes every active key of a user. The caller holds the lock of the user's row, so no key can be created at the same time. @returns the
 * number revoked.
 */
export const revokeKeysOf = (
  tx: Tx<Tables>,
  { userId, reason, now }: { readonly userId: string; readonly reason: string; readonly now: Date },
): Promise<number> =>
  affectedRows(
    tx
      .updateTable("api_keys")
      .set({ revoked_at: now, revoked_reason: reason, updated_at: now })
      .where("user_id", "=", userId)
      .where("revoked_at", "is", null)
      .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", now)])),
  );

export const isSessionThere = (tx: Tx<Tables>, sessionId: string): Promise<boolean> =>
  findsRow(tx.selectFrom("sessions").select("id").where("id", "=", sessionId));

/** Records a use, unless one was recorded since `before`. */
export async function touchKey(
  tx: Tx<Tables>,
  use: { id: string; address: string; now: Date; before: Date },
): Promise<void> {
  await tx
    .updateTable("api_keys")
    .set({ last_used_at: use.now, last_used_ip: use.address })
    .where("id", "=", use.id)
    .where((eb) => eb.or([eb("last_used_at", "is", null), eb("last_used_at", "<=", use.before)]))
    .execute();
}
