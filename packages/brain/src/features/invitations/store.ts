import type { Tx } from "../../platform/database/database.ts";
import { affectedRows, changesOne } from "../../platform/database/results.ts";
import type { Db, InvitationRow, Tables } from "../../schema/tables/index.ts";

/** Maximum pending invitations of one project that are listed. */
const maxListed = 1000;

const publicColumns = [
  "id",
  "project_id",
  "email",
  "role",
  "invited_by",
  "expires_at",
  "accepted_at",
  "revoked_at",
  "created_at",
] as const;

/** Invitations of a project that are pending at `now`, newest first. */
export const listPending = (db: Db, projectId: string, now: Date) =>
  db
    .selectFrom("invitations")
    .select(publicColumns) // never token_hash
    .where("project_id", "=", projectId)
    .where("accepted_at", "is", null)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", now)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(maxListed)
    .execute();

export const insertInvitation = (tx: Tx<Tables>, row: InvitationRow) =>
  tx.insertInto("invitations").values(row).returning(publicColumns).executeTakeFirstOrThrow();

/** The invitation of a token with its project; undefined once it is used, revoked or expired, or its project is archived. */
export const findOpen = (db: Db, digests: readonly string[], now: Date) =>
  db
    .selectFrom("invitations as i")
    .innerJoin("projects as p", "p.id", "i.project_id")
    .select([
      "i.id",
      "i.project_id",
      "i.email",
      "i.role",
      "i.expires_at",
      "p.slug as project_slug",
      "p.name as project_name",
    ])
    .where("i.token_hash", "in", digests)
    .where("i.accepted_at", "is", null)
    .where("i.revoked_at", "is", null)
    .where("i.expires_at", ">", now)
    .where("p.is_active", "=", true)
    .executeTakeFirst();

/** Marks an invitation as used; false when it was already used, revoked or expired, or its project was archived. */
export const consumeInvitation = (tx: Tx<Tables>, id: string, now: Date): Promise<boolean> =>
  changesOne(
    tx
      .updateTable("invitations")
      .set({ accepted_at: now, updated_at: now })
      .where("id", "=", id)
      .where("accepted_at", "is", null)
      .where("revoked_at", "is", null)
      .where("expires_at", ">", now)
      .where("project_id", "in", (eb) => eb.selectFrom("projects").select("id").where("is_active", "=", true)),
  );

export async function noteAccepter(tx: Tx<Tables>, id: string, userId: string): Promise<void> {
  await tx.updateTable("invitations").set({ accepted_by_user_id: userId }).where("id", "=", id).execute();
}

/** Revokes an invitation of a project; false when none is pending with this id. */
export const revokePending = (tx: Tx<Tables>, projectId: string, id: string, now: Date): Promise<boolean> =>
  changesOne(
    tx
      .updateTable("invitations")
      .set({ revoked_at: now, updated_at: now })
      .where("id", "=", id)
      .where("project_id", "=", projectId)
      .where("accepted_at", "is", null)
      .where("revoked_at", "is", null)
      .where("expires_at", ">", now),
  );

/** Deletes invitations that expired before `before`, used or not, and returns how many. */
export const deleteInvitationsEndedBefore = (tx: Tx<Tables>, before: Date): Promise<number> =>
  affectedRows(tx.deleteFrom("invitations").where("expires_at", "<", before));

/** Removes a deleted user from the invitations that the user created or accepted. */
export async function forgetInviter(tx: Tx<Tables>, userId: string): Promise<void> {
  await tx.updateTable("invitations").set({ invited_by: null }).where("invited_by", "=", userId).execute();
  await tx
    .updateTable("invitations")
    .set({ accepted_by_user_id: null })
    .where("accepted_by_user_id", "=", userId)
    .execute();
}
