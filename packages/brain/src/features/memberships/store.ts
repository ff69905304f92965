import type { Tx } from "../../platform/database/database.ts";
import { findsRow } from "../../platform/database/results.ts";
import type { Db, MembershipRow, Tables } from "../../schema/tables/index.ts";

/** Maximum members of one project that are listed. */
const maxListed = 5000;

export async function insertMembership(tx: Tx<Tables>, row: MembershipRow): Promise<void> {
  await tx.insertInto("memberships").values(row).execute();
}

const memberColumns = [
  "m.id",
  "m.user_id",
  "m.project_id",
  "u.email as user_email",
  "u.display_name as user_display_name",
  "m.role",
  "m.created_at",
] as const;

const membersOf = (db: Db, projectId: string) =>
  db
    .selectFrom("memberships as m")
    .innerJoin("users as u", "u.id", "m.user_id")
    .select(memberColumns)
    .where("m.project_id", "=", projectId);

/** Members of a project with their accounts, oldest membership first. */
export const listMembers = (db: Db, projectId: string) =>
  membersOf(db, projectId).orderBy("m.created_at").orderBy("m.id").limit(maxListed).execute();

/** One member of a project, with the account. */
export const findMember = (db: Db, projectId: string, id: string) =>
  membersOf(db, projectId).where("m.id", "=", id).executeTakeFirst();

export const isMember = (db: Db, projectId: string, userId: string): Promise<boolean> =>
  findsRow(db.selectFrom("memberships").select("id").where("user_id", "=", userId).where("project_id", "=", projectId));

/** Whether a project has another active admin besides this membership. */
export const isOtherAdmin = (tx: Tx<Tables>, projectId: string, id: string): Promise<boolean> =>
  findsRow(
    tx
      .selectFrom("memberships as m")
      .innerJoin("users as u", "u.id", "m.user_id")
      .select("m.id")
      .where("m.project_id", "=", projectId)
      .where("m.role", "=", "admin")
      .where("m.id", "<>", id)
      .where("u.is_active", "=", true)
      .limit(1),
  );

export async function updateRole(tx: Tx<Tables>, id: string, role: string, now: Date): Promise<void> {
  await tx.updateTable("memberships").set({ role, updated_at: now }).where("id", "=", id).execute();
}

export async function deleteMembership(tx: Tx<Tables>, id: string): Promise<void> {
  await tx.deleteFrom("memberships").where("id", "=", id).execute();
}

/** The projects a user is a member of, by name. */
export const listMembershipsOf = (db: Db, userId: string) =>
  db
    .selectFrom("memberships as m")
    .innerJoin("projects as p", "p.id", "m.project_id")
    .select(["m.project_id", "p.slug as project_slug", "p.name as project_name", "m.role"])
    .where("m.user_id", "=", userId)
    .orderBy("p.name")
    .orderBy("p.id")
    .limit(maxListed)
    .execute();
