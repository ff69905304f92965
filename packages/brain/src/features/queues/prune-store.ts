import type { Database } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";

/** Deletes at most `limit` queues of all projects that nothing named since `cutoff`, and tells how many. */
export async function deleteUnseenQueues(
  { write }: Pick<Database<Tables>, "write">,
  cutoff: Date,
  limit: number,
): Promise<number> {
  const { numDeletedRows } = await write((tx) =>
    tx
      .deleteFrom("queues")
      .where("id", "in", (eb) =>
        eb
          .selectFrom("queues")
          .select("id")
          .where((one) => one(one.fn.coalesce("last_seen_at", "updated_at"), "<", cutoff))
          .limit(limit),
      )
      .executeTakeFirst(),
  );
  return Number(numDeletedRows);
}
