import type { Tx } from "../../platform/database/database.ts";
import { changesOne, countOf } from "../../platform/database/results.ts";
import type { Db, SavedViewRow, Tables } from "../../schema/tables/index.ts";

/** Owner and project of the views: users cannot see or change each other's views. */
export interface Owner {
  readonly userId: string;
  readonly projectId: string;
}

/** The views of one user in one project, by name. */
export const listViews = (db: Db, owner: Owner, limit: number): Promise<SavedViewRow[]> =>
  db
    .selectFrom("saved_views")
    .selectAll()
    .where("user_id", "=", owner.userId)
    .where("project_id", "=", owner.projectId)
    .orderBy("name")
    .limit(limit)
    .execute();

export const countViews = (tx: Tx<Tables>, owner: Owner): Promise<number> =>
  countOf(
    tx
      .selectFrom("saved_views")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .where("user_id", "=", owner.userId)
      .where("project_id", "=", owner.projectId),
  );

export async function insertView(tx: Tx<Tables>, row: SavedViewRow): Promise<void> {
  await tx.insertInto("saved_views").values(row).execute();
}

/** The view after the change; undefined when the user has no view with this id in the project. */
export const updateView = (
  tx: Tx<Tables>,
  { userId, projectId }: Owner,
  id: string,
  changes: Pick<SavedViewRow, "name" | "filters" | "updated_at">,
): Promise<SavedViewRow | undefined> =>
  tx
    .updateTable("saved_views")
    .set(changes)
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .where("project_id", "=", projectId)
    .returningAll()
    .executeTakeFirst();

/** Returns whether a view was deleted. */
export const deleteView = (tx: Tx<Tables>, { userId, projectId }: Owner, id: string): Promise<boolean> =>
  changesOne(
    tx.deleteFrom("saved_views").where("id", "=", id).where("user_id", "=", userId).where("project_id", "=", projectId),
  );
