import type { Tx } from "../../platform/database/database.ts";
import { affectedRows, changesOne } from "../../platform/database/results.ts";
import type { Db, InvitationRow, Tables } from "../../schema/tables/index.ts";

/** More pending invitations than this of one project are not listed. */
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

/** Invitations of a project that can still be accepted at `now`, the newest first. */
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

/** The invitation behind a token with its project, while it can be accepted: nothing once it is used, revoked, over or archived. */
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

/** Uses an invitation up; false when another use or a revocation won, its time is over, or its project was archived. */
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

/** Revokes an invitation of a project; false when none is pending under this id. */
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

/** Deletes invitations whose last day was before `before`, used or not, and tells how many. */
export const deleteInvitationsEndedBefore = (tx: Tx<Tables>, before: Date): Promise<number> =>
  affectedRows(tx.deleteFrom("invitations").where("expires_at", "<", before));

/** Takes a user who is deleted out of the invitations that the user made or accepted. */
export async function forgetInviter(tx: Tx<Tables>, userId: string): Promise<void> {
  await tx.updateTable("invitations").set({ invited_by: null }).where("invited_by", "=", userId).execute();
  await tx
    .updateTable("invitations")
    .set({ accepted_by_user_id: null })
    .where("accepted_by_user_id", "=", userId)
    .execute();
}
