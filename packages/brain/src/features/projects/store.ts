import type { Updateable } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import { findsRow } from "../../platform/database/results.ts";
import type { Db, ProjectRow, Tables } from "../../schema/tables/index.ts";

export const findProject = (db: Db, id: string): Promise<ProjectRow | undefined> =>
  db.selectFrom("projects").selectAll().where("id", "=", id).executeTakeFirst();

/** Reads a project for update; other transactions wait. */
export const lockProject = (tx: Tx<Tables>, id: string): Promise<ProjectRow | undefined> =>
  tx.selectFrom("projects").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();

export async function insertProject(tx: Tx<Tables>, row: ProjectRow): Promise<void> {
  await tx.insertInto("projects").values(row).execute();
}

export async function updateProject(tx: Tx<Tables>, id: string, changes: Updateable<ProjectRow>): Promise<void> {
  await tx.updateTable("projects").set(changes).where("id", "=", id).execute();
}

export const isOtherProjectActive = (tx: Tx<Tables>, id: string): Promise<boolean> =>
  findsRow(tx.selectFrom("projects").select("id").where("is_active", "=", true).where("id", "<>", id).limit(1));

export interface VisibleFilter {
  /** Only projects that this user is a member of; null for all. */
  readonly memberId: string | null;
  /** Only this project. */
  readonly projectId: string | null;
  readonly includeArchived: boolean;
  readonly limit: number;
}

export const listVisible = (
  db: Db,
  { memberId, projectId, includeArchived, limit }: VisibleFilter,
): Promise<ProjectRow[]> =>
  db
    .selectFrom("projects")
    .selectAll()
    .$if(memberId !== null, (query) =>
      query.where("id", "in", (eb) =>
        eb.selectFrom("memberships").select("project_id").where("user_id", "=", memberId!),
      ),
    )
    .$if(projectId !== null, (query) => query.where("id", "=", projectId!))
    .$if(!includeArchived, (query) => query.where("is_active", "=", true))
    .orderBy("name")
    .orderBy("id")
    .limit(limit)
    .execute();

export const findBySlug = (
  db: Db,
  slug: string,
): Promise<Pick<ProjectRow, "id" | "slug" | "name" | "is_active"> | undefined> =>
  db.selectFrom("projects").select(["id", "slug", "name", "is_active"]).where("slug", "=", slug).executeTakeFirst();

/** Slugs of the active projects among these ids. */
export async function slugsOf(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom("projects")
    .select(["id", "slug"])
    .where("id", "in", ids)
    .where("is_active", "=", true)
    .execute();
  return new Map(rows.map(({ id, slug }) => [id, slug]));
}

export async function findRole(db: Db, userId: string, projectId: string): Promise<string | null> {
  const row = await db
    .selectFrom("memberships")
    .select("role")
    .where("user_id", "=", userId)
    .where("project_id", "=", projectId)
    .executeTakeFirst();
  return row?.role ?? null;
}
