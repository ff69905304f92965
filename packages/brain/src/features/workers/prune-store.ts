import type { Database } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";

/** Deletes at most `limit` offline workers of all projects that nothing named since `cutoff`, and tells how many. */
export async function deleteUnseenWorkers(
  { write }: Pick<Database<Tables>, "write">,
  cutoff: Date,
  limit: number,
): Promise<number> {
  const { numDeletedRows } = await write((tx) =>
    tx
      .deleteFrom("workers")
      .where("id", "in", (eb) =>
        eb
          .selectFrom("workers")
          .select("id")
          .where("state", "<>", "online")
          .where((one) => one(one.fn.coalesce("last_heartbeat", "updated_at"), "<", cutoff))
          .limit(limit),
      )
      .executeTakeFirst(),
  );
  return Number(numDeletedRows);
}
