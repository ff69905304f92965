import { affectedRows } from "../../platform/database/results.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";

/** Deletes up to `limit` events of one project before `cutoff`; returns how many. For SQLite, which has no partitions. */
export async function deleteEventsBefore(
  database: Pick<BrainDatabase, "read" | "write">,
  projectId: string,
  cutoff: Date,
  limit: number,
): Promise<number> {
  const last = await database.read
    .selectFrom("events")
    .select(["occurred_at", "id"])
    .where("project_id", "=", projectId)
    .where("occurred_at", "<", cutoff)
    .orderBy("occurred_at")
    .orderBy("id")
    .limit(1)
    .offset(limit - 1)
    .executeTakeFirst();
  const bound = last?.occurred_at;
  return database.write((tx) =>
    affectedRows(
      tx
        .deleteFrom("events")
        .where("project_id", "=", projectId)
        .where("occurred_at", "<", cutoff)
        .$if(last !== undefined, (query) =>
          query.where((eb) => eb(eb.refTuple("occurred_at", "id"), "<=", eb.tuple(bound ?? cutoff, last?.id ?? ""))),
        ),
    ),
  );
}

/** Projects with events before `cutoff`. */
export async function projectsWithEventsBefore(database: Pick<BrainDatabase, "read">, cutoff: Date): Promise<string[]> {
  const projects = await database.read.selectFrom("projects").select("id").execute();
  const old: string[] = [];
  // One primary key lookup per project; events are not scanned.
  for (const { id } of projects) {
    const first = await database.read
      .selectFrom("events")
      .select("id")
      .where("project_id", "=", id)
      .where("occurred_at", "<", cutoff)
      .limit(1)
      .executeTakeFirst();
    if (first !== undefined) old.push(id);
  }
  return old;
}
