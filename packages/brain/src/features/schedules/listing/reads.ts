import { type RawBuilder, sql } from "kysely";
import { firstOfEach } from "../../../platform/database/dialects/expressions/for-each-given.ts";
import {
  type BoundedRows,
  type PageBounds,
  rowsWithinBytes,
  type WideTable,
} from "../../../platform/database/dialects/expressions/rows-within-bytes.ts";
import { isAmong, valuesTable } from "../../../platform/database/dialects/expressions/values-table.ts";
import type { Db, ScheduleRow } from "../../../schema/tables/index.ts";
import { ownScheduler } from "../slots.ts";

/** Where a page starts: after this schedule. */
export interface SchedulePosition {
  readonly name: string;
  readonly id: string;
}

const scheduleColumns = [
  "id",
  "project_id",
  "engine",
  "scheduler",
  "name",
  "task_name",
  "kind",
  "expression",
  "timezone",
  "queue",
  "priority",
  "args",
  "kwargs",
  "catch_up",
  "overlap_policy",
  "is_enabled",
  "paused_at",
  "quarantine_code",
  "quarantine_detail",
  "quarantined_at",
  "source",
  "source_hash",
  "external_id",
  "definition_digest",
  "control_token",
  "schedule_revision",
  "last_run_at",
  "next_run_at",
  "total_runs",
  "late_start_seconds",
  "long_run_seconds",
  "position_epoch",
  "position_sequence",
  "position_event_id",
  "created_at",
  "updated_at",
] as const satisfies readonly (keyof ScheduleRow)[];

const wideSchedules: WideTable = {
  name: "schedules",
  columns: scheduleColumns,
  largeColumns: ["args", "kwargs"],
  orderedBy: ["name", "id"],
  isAscending: true,
};

/** Schedules of a project after `after`, by name and id, within the bounds of a page. */
export function schedulesByName(
  db: Db,
  { projectId, after }: { readonly projectId: string; readonly after: SchedulePosition | null },
  bounds: PageBounds,
): Promise<BoundedRows<ScheduleRow>> {
  const isAfter = after === null ? sql`` : sql`AND (name, id) > (${after.name}, ${after.id})`;
  return readPage(db, sql`project_id = ${projectId} ${isAfter}`, bounds);
}

/** Schedules of a project by id, up to `maxBytes`; ids of other projects are ignored. */
export const schedulesAmong = (
  db: Db,
  { projectId, ids }: { readonly projectId: string; readonly ids: readonly string[] },
  maxBytes: number,
): Promise<BoundedRows<ScheduleRow>> =>
  readPage(db, sql`project_id = ${projectId} AND ${isAmong("id", "uuid", ids)}`, { limit: ids.length, maxBytes });

const readPage = (db: Db, condition: RawBuilder<unknown>, bounds: PageBounds): Promise<BoundedRows<ScheduleRow>> =>
  rowsWithinBytes(db, { table: wideSchedules, from: sql`FROM schedules WHERE ${condition} ORDER BY name, id` }, bounds);

/** Skipped slots since `since`, by schedule; those without any are absent. */
export async function skippedSlots(db: Db, ids: readonly string[], since: Date): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("schedule_skips")
    .select((eb) => ["schedule_id", eb.fn.sum<number>("count").as("slots")])
    .where(isAmong("schedule_id", "uuid", ids))
    .where("skipped_at", ">", since)
    .groupBy("schedule_id")
    .execute();
  return new Map(rows.map(({ schedule_id, slots }) => [schedule_id, Number(slots)]));
}

/** The statuses of the newest fires of each schedule, newest first, at most `depth` each; those without any are absent. */
export async function newestStatuses(db: Db, ids: readonly string[], depth: number): Promise<Map<string, string[]>> {
  if (ids.length === 0) return new Map();
  const newest = sql`FROM schedule_fires WHERE schedule_id = given.value ORDER BY fired_at DESC, id DESC`;
  const fires = { table: "schedule_fires", alias: "fire", columns: ["status", "fired_at", "id"] };
  const { rows } = await sql<{ schedule_id: string; status: string }>`
    SELECT given.value AS schedule_id, fire.status FROM ${valuesTable("uuid", ids)}
    ${firstOfEach(fires, newest, depth)} ORDER BY given.value, fire.fired_at DESC, fire.id DESC`.execute(db);
  const found = new Map<string, string[]>();
  for (const { schedule_id, status } of rows) {
    const statuses = found.get(schedule_id) ?? [];
    statuses.push(status);
    found.set(schedule_id, statuses);
  }
  return found;
}

/** How many schedules of a project are enabled, and how many are held by an operator. Reads only indexes. */
export async function countSchedules(db: Db, projectId: string): Promise<{ enabled: number; paused: number }> {
  const own = sql`FROM schedules WHERE project_id = ${projectId}`;
  // As text, to match the partial indexes: SQLite uses them only then.
  const { rows } = await sql<{ enabled: number; paused: number }>`
    SELECT (SELECT count(*) ${own}) - (SELECT count(*) ${own} AND is_enabled = false) AS enabled,
      (SELECT count(*) ${own} AND paused_at IS NOT NULL) AS paused`.execute(db);
  return { enabled: Number(rows[0]?.enabled ?? 0), paused: Number(rows[0]?.paused ?? 0) };
}

/** Quarantined schedules of a project, and the ids of disabled ones of this service, at most `limit`. Reads only partial indexes. */
export async function heldSchedules(
  db: Db,
  projectId: string,
  limit: number,
): Promise<{ quarantined: number; disabled: string[] }> {
  const { rows } = await sql<{ id: string | null; quarantined: number }>`
    SELECT NULL AS id, count(*) AS quarantined FROM schedules WHERE project_id = ${projectId} AND quarantined_at IS NOT NULL
    UNION ALL SELECT id, 0 FROM (SELECT id FROM schedules WHERE project_id = ${projectId} AND is_enabled = false
      AND quarantined_at IS NULL AND scheduler = ${ownScheduler} LIMIT ${limit}) AS disabled`.execute(db);
  return {
    quarantined: rows.reduce((sum, { quarantined }) => sum + Number(quarantined), 0),
    disabled: rows.flatMap(({ id }) => id ?? []),
  };
}
