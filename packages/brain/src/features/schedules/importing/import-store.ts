import { chunks } from "../../../platform/chunks.ts";
import type { Tx } from "../../../platform/database/database.ts";
import { isAmong } from "../../../platform/database/dialects/expressions/values-table.ts";
import type { Db, ScheduleRow, Tables } from "../../../schema/tables/index.ts";
import { ownScheduler } from "../slots.ts";

const comparedColumns = [
  ...(["id", "project_id", "scheduler", "name", "kind", "expression", "timezone", "next_run_at"] as const),
  ...(["is_enabled", "paused_at", "quarantined_at", "source", "source_hash", "definition_digest"] as const),
] as const;

/** A stored schedule without its arguments, which its digest represents. */
export type Compared = Pick<ScheduleRow, (typeof comparedColumns)[number]>;

/** The own schedules of a project with these names. */
export const namedSchedules = (db: Db, projectId: string, names: readonly string[]): Promise<Compared[]> =>
  ofProject(db, projectId)
    .where(isAmong("name", "text", names))
    .orderBy("id")
    .execute();

/** The own schedules of a project that come from a source. */
export const sourcedSchedules = (db: Db, projectId: string, source: string): Promise<Compared[]> =>
  ofProject(db, projectId).where("source", "=", source).orderBy("id").execute();

const ofProject = (db: Db, projectId: string) =>
  db
    .selectFrom("schedules")
    .select(comparedColumns)
    .where("project_id", "=", projectId)
    .where("scheduler", "=", ownScheduler);

const idsPerStatement = 1000;

/** Locks schedules in the order of their ids. */
export async function lockAll(tx: Tx<Tables>, ids: readonly string[]): Promise<void> {
  for (const some of chunks(ids.toSorted(), idsPerStatement)) {
    await tx.selectFrom("schedules").select("id").where("id", "in", some).orderBy("id").forUpdate().execute();
  }
}

const rowsPerInsert = 100;

export async function insertSchedules(tx: Tx<Tables>, rows: readonly ScheduleRow[]): Promise<void> {
  for (const some of chunks(rows, rowsPerInsert)) await tx.insertInto("schedules").values(some).execute();
}

export async function updateSchedule(
  tx: Tx<Tables>,
  { id, project_id }: Compared,
  columns: Partial<ScheduleRow>,
): Promise<void> {
  await tx.updateTable("schedules").set(columns).where("id", "=", id).where("project_id", "=", project_id).execute();
}

export async function deleteSchedules(tx: Tx<Tables>, ids: readonly string[]): Promise<void> {
  for (const some of chunks(ids, idsPerStatement)) {
    await tx.deleteFrom("schedules").where("id", "in", some).execute();
  }
}
