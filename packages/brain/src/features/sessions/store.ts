import type { Tx } from "../../platform/database/database.ts";
import { changesOne } from "../../platform/database/results.ts";
import type { Db, SessionRow, Tables } from "../../schema/tables/index.ts";

const maxListed = 500;

/** The session of a cookie with its user's permissions, in any state. */
export const sessionOfDigest = (db: Db, digest: string) =>
  db
    .selectFrom("sessions as s")
    .innerJoin("users as u", "u.id", "s.user_id")
    .select([
      "s.id",
      "s.user_id",
      "s.csrf_token",
      "s.is_remembered",
      "s.last_seen_at",
      "s.expires_at",
      "s.user_agent_at_issue",
      "s.mfa_verified_at",
      "s.is_mfa_spared",
      "s.last_proof_at",
      "u.email",
      "u.display_name",
      "u.is_admin",
      "u.is_active",
      "u.mfa_enrolled_at",
      "u.mfa_enforcement_started_at",
    ])
    .where("s.token_hash", "=", digest);

export async function insertSession(tx: Tx<Tables>, row: SessionRow): Promise<void> {
  await tx.insertInto("sessions").values(row).execute();
}

/** Records activity, unless it was recorded since `before`. */
export async function touchSession(tx: Tx<Tables>, id: string, now: Date, before: Date): Promise<void> {
  await tx
    .updateTable("sessions")
    .set({ last_seen_at: now })
    .where("id", "=", id)
    .where("last_seen_at", "<=", before)
    .execute();
}

/** Ends the session of a cookie; returns it, or null when there is none. */
export async function deleteSessionByDigest(
  tx: Tx<Tables>,
  digest: string,
): Promise<Pick<SessionRow, "id" | "user_id"> | null> {
  const ended = tx.deleteFrom("sessions").where("token_hash", "=", digest).returning(["id", "user_id"]);
  return (await ended.executeTakeFirst()) ?? null;
}

/** Ends one session of a user; false when there is none. */
export const deleteSession = (tx: Tx<Tables>, userId: string, id: string): Promise<boolean> =>
  changesOne(tx.deleteFrom("sessions").where("id", "=", id).where("user_id", "=", userId));

/** Ends all sessions of a user except `exceptId`; returns their ids. */
export async function deleteSessionsOf(tx: Tx<Tables>, userId: string, exceptId: string | null): Promise<string[]> {
  const rows = await tx
    .deleteFrom("sessions")
    .where("user_id", "=", userId)
    .$if(exceptId !== null, (query) => query.where("id", "<>", exceptId!))
    .returning("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** Sessions of a user that are valid at `now`, newest first; the caller checks whether they are idle. */
export const listLive = (db: Db, userId: string, { now, idleSince }: { now: Date; idleSince: Date }) =>
  db
    .selectFrom("sessions")
    .select(["id", "is_remembered", "issued_at", "last_seen_at", "expires_at", "ip_at_issue", "user_agent_at_issue"])
    .where("user_id", "=", userId)
    .where("expires_at", ">", now)
    .where((eb) => eb.or([eb("is_remembered", "=", true), eb("last_seen_at", ">", idleSince)]))
    .orderBy("issued_at", "desc")
    .orderBy("id", "desc")
    .limit(maxListed)
    .execute();

/**
 * The session's user and current permissions; undefined when the session or its user is not valid at `now`. The caller checks whether it is
 * idle.
 */
export const findHolder = (db: Db, id: string, { now, idleSince }: { now: Date; idleSince: Date }) =>
  db
    .selectFrom("sessions as s")
    .innerJoin("users as u", "u.id", "s.user_id")
    .select(["s.id", "s.user_id", "s.is_remembered", "s.last_seen_at", "s.mfa_verified_at", "s.is_mfa_spared"])
    .select(["u.is_admin", "u.mfa_enrolled_at", "u.mfa_enforcement_started_at"])
    .where("s.id", "=", id)
    .where("u.is_active", "=", true)
    .where("s.expires_at", ">", now)
    .where((eb) => eb.or([eb("s.is_remembered", "=", true), eb("s.last_seen_at", ">", idleSince)]))
    .executeTakeFirst();

/** The fields of a session that decide when it ends. */
export const findLimits = (db: Db, id: string) =>
  db
    .selectFrom("sessions")
    .select(["id", "is_remembered", "last_seen_at", "expires_at"])
    .where("id", "=", id)
    .executeTakeFirst();

/** The remember flag and second-factor stamps that a replacing session inherits. */
export const findCarried = (db: Db, id: string) =>
  db
    .selectFrom("sessions")
    .select(["is_remembered", "mfa_verified_at", "is_mfa_spared"])
    .where("id", "=", id)
    .executeTakeFirst();
