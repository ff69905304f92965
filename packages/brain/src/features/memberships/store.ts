import type { Kysely } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { MembershipRow, Tables } from "../../schema/tables/index.ts";

/** More members than this in one project are not listed. */
const maxListed = 5000;

export async function insertMembership(tx: Tx<Tables>, row: MembershipRow): Promise<void> {
  await tx.insertInto("memberships").values(row).execute();
}

/** Members of a project with their accounts, the longest-standing first. */
export const listMembers = (db: Kysely<Tables>, projectId: string) =>
  db
    .selectFrom("memberships as m")
    .innerJoin("users as u", "u.id", "m.user_id")
    .select([
      "m.id",
      "m.user_id",
      "m.project_id",
      "u.email as user_email",
      "u.display_name as user_display_name",
      "m.role",
      "m.created_at",
    ])
    .where("m.project_id", "=", projectId)
    .orderBy("m.created_at")
    .orderBy("m.id")
    .limit(maxListed)
    .execute();

/** The projects a user is a member of, by name. */
export const listMembershipsOf = (db: Kysely<Tables>, userId: string) =>
  db
    .selectFrom("memberships as m")
    .innerJoin("projects as p", "p.id", "m.project_id")
    .select(["m.project_id", "p.slug as project_slug", "p.name as project_name", "m.role"])
    .where("m.user_id", "=", userId)
    .orderBy("p.name")
    .orderBy("p.id")
    .limit(maxListed)
    .execute();
