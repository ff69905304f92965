import type { Kysely } from "kysely";
import type { CommandRow, Tables } from "../../schema/tables/index.ts";

type Db = Kysely<Tables>;

export const findCommand = (db: Db, id: string): Promise<CommandRow | undefined> =>
  db.selectFrom("commands").selectAll().where("id", "=", id).executeTakeFirst();

/** Those of the commands that have ended. */
export const endedAmong = (
  db: Db,
  ids: readonly string[],
): Promise<Pick<CommandRow, "id" | "project_id" | "action" | "status" | "result" | "error">[]> =>
  db
    .selectFrom("commands")
    .select(["id", "project_id", "action", "status", "result", "error"])
    .where("id", "in", ids)
    .where("status", "not in", ["pending", "dispatched"])
    .execute();
