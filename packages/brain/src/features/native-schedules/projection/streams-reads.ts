import type { Db } from "../../../schema/tables/index.ts";

/** Those of the owners that have sent positions in a stream. */
export async function sequencedAmong(db: Db, projectId: string, owners: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom("schedule_streams")
    .select("owner")
    .where("project_id", "=", projectId)
    .where("owner", "in", owners)
    .where("is_sequenced", "=", true)
    .execute();
  return rows.map(({ owner }) => owner);
}
