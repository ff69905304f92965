import { terminalTaskStates } from "@svc/protocol";
import { sql } from "kysely";
import type { Tx } from "../../../platform/database/database.ts";
import { isAmong, typed, valuesRows } from "../../../platform/database/dialects/expressions/values-table.ts";
import { days } from "../../../platform/durations.ts";
import type {
  PendingFireRow,
  ScheduleFireRow,
  ScheduleRow,
  ScheduleSkipRow,
  Tables,
} from "../../../schema/tables/index.ts";
import { lockSchedules } from "../../schedules/index.ts";
import { isAt } from "../progress/fire-address.ts";
import { openFireStatuses } from "../states.ts";
import type { KnownFire, LockedSchedule } from "./decide.ts";

/** Schedules by id, locked in the order of their ids. Their projects can't be archived until the transaction ends. */
export async function lockForFires(tx: Tx<Tables>, ids: readonly string[]): Promise<Map<string, LockedSchedule>> {
  const rows = await lockSchedules(tx, ids);
  if (rows.length === 0) return new Map();
  const projects = await tx
    .selectFrom("projects")
    .select(["id", "is_active"])
    .where(isAmong("id", "uuid", [...new Set(rows.map(({ project_id }) => project_id))]))
    .orderBy("id")
    .forKeyShare()
    .execute();
  const active = new Set(projects.flatMap(({ id, is_active }) => (is_active ? [id] : [])));
  return new Map(rows.map((row) => [row.id, { row, isProjectActive: active.has(row.project_id) }]));
}

/** The fires with these ids, by id. */
export async function knownFires(tx: Tx<Tables>, fireIds: readonly string[]): Promise<Map<string, KnownFire>> {
  const ids = await tx
    .selectFrom("schedule_fire_ids")
    .select(["fire_id", "schedule_id", "scheduled_for", "fired_at"])
    .where(isAmong("fire_id", "uuid", fireIds))
    .execute();
  if (ids.length === 0) return new Map();
  const rows = await tx
    .selectFrom("schedule_fires")
    .select(["fire_id", "command_id", "status"])
    .where(isAt(ids))
    .execute();
  const fires = new Map(rows.map((row) => [row.fire_id, row]));
  return new Map(
    ids.map(({ fire_id, schedule_id, scheduled_for }) => {
      const fire = fires.get(fire_id);
      const known: KnownFire = {
        scheduleId: schedule_id,
        scheduledFor: scheduled_for,
        commandId: fire?.command_id ?? null,
        isBuffered: fire?.status === "buffered",
      };
      return [fire_id, known];
    }),
  );
}

/** How many acknowledged fires of a schedule, the newest ones, are checked for a task that has not ended. */
const checkedFires = 500;

const literals = (texts: readonly string[]) => sql.join(texts.map((text) => sql.lit(text)));

/**
 * Those of the schedules with an open fire: one that has not ended, or one whose task has not ended although its row was written in the last
 * 24 hours.
 */
export async function withOpenFires(tx: Tx<Tables>, ids: readonly string[], now: Date): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const writtenAfter = new Date(now.getTime() - days(1));
  const { rows } = await sql<{ id: string }>`SELECT s.id FROM schedules AS s
    WHERE ${isAmong("s.id", "uuid", ids)} AND (
      EXISTS (SELECT 1 FROM schedule_fires AS f WHERE f.schedule_id = s.id AND f.status IN (${literals(openFireStatuses)}))
      OR EXISTS (
        SELECT 1 FROM (
          SELECT f.project_id, f.engine, f.task_id FROM schedule_fires AS f
          WHERE f.schedule_id = s.id AND f.status = 'acked_success' AND f.task_id IS NOT NULL
          ORDER BY f.fired_at DESC, f.id DESC LIMIT ${checkedFires}
        ) AS acked
        JOIN tasks AS t ON t.project_id = acked.project_id AND t.engine = acked.engine AND t.task_id = acked.task_id
        WHERE t.state NOT IN (${literals(terminalTaskStates)}) AND t.updated_at > ${writtenAfter}
      )
    )`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

/** Rows per statement, within the parameter limits of the databases. */
export const maxFires = 500;

/** Inserts fires, at most `maxFires`, with their ids. */
export async function insertFires(tx: Tx<Tables>, fires: readonly ScheduleFireRow[]): Promise<void> {
  if (fires.length === 0) return;
  const ids = fires.map(({ fire_id, project_id, schedule_id, scheduled_for, fired_at }) => ({
    fire_id,
    project_id,
    schedule_id,
    scheduled_for,
    fired_at,
  }));
  await tx.insertInto("schedule_fire_ids").values(ids).execute();
  await tx.insertInto("schedule_fires").values(fires).execute();
}

export async function insertPendingFires(tx: Tx<Tables>, rows: readonly PendingFireRow[]): Promise<void> {
  if (rows.length > 0) await tx.insertInto("pending_fires").values(rows).execute();
}

export async function insertSkips(tx: Tx<Tables>, rows: readonly ScheduleSkipRow[]): Promise<void> {
  if (rows.length > 0) await tx.insertInto("schedule_skips").values(rows).execute();
}

/** Stores the cursors and the run counters of locked schedules, in one statement. */
export async function updateCursors(
  tx: Tx<Tables>,
  rows: readonly Pick<ScheduleRow, "id" | "last_run_at" | "next_run_at" | "total_runs">[],
): Promise<void> {
  if (rows.length === 0) return;
  const given = valuesRows(
    ["uuid", "timestamptz", "timestamptz", "bigint"],
    rows.map(({ id, last_run_at, next_run_at, total_runs }) => [id, last_run_at, next_run_at, String(total_runs)]),
  );
  await sql`UPDATE schedules
    SET last_run_at = given.column2, next_run_at = given.column3, total_runs = ${typed(sql`given.column4`, "bigint")}
    FROM (${given}) AS given WHERE schedules.id = given.column1`.execute(tx);
}
