import type { BrainDatabase } from "../../schema/tables/index.ts";

/**
 * Deletes at most `limit` offline workers of all projects that nothing named since `cutoff`, and tells how many. Locked in the order in which
 * notes are written; one that is named meanwhile stays.
 */
export async function deleteUnseenWorkers(
  { write }: Pick<BrainDatabase, "write">,
  cutoff: Date,
  limit: number,
): Promise<number> {
  const { numDeletedRows } = await write(
    (tx) => {
      const unseen = tx
        .selectFrom("workers")
        .select("id")
        .where("state", "<>", "online")
        .where((eb) => eb(eb.fn.coalesce("last_heartbeat", "updated_at"), "<", cutoff))
        .orderBy("project_id")
        .orderBy("engine")
        .orderBy("name")
        .limit(limit);
      return tx
        .with("unseen", () => unseen.forUpdate())
        .deleteFrom("workers")
        .where("id", "in", (eb) => eb.selectFrom("unseen").select("unseen.id"))
        .executeTakeFirst();
    },
    { alone: true },
  );
  return Number(numDeletedRows);
}

/** When any of them was named last; null when there is none. */
export async function newestSeenWorker({ slow }: Pick<BrainDatabase, "slow">): Promise<Date | null> {
  const row = await slow
    .selectFrom("workers")
    .select((eb) => eb.fn.max(eb.fn.coalesce("last_heartbeat", "updated_at")).as("newest_at"))
    .executeTakeFirst();
  return row?.newest_at ?? null;
}
