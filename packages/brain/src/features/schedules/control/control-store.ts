import { randomToken } from "@svc/protocol";
import { sql } from "kysely";
import { chunks } from "../../../platform/chunks.ts";
import type { Tx } from "../../../platform/database/database.ts";
import { typed, valuesRows } from "../../../platform/database/dialects/expressions/values-table.ts";
import type { ScheduleRow, Tables } from "../../../schema/tables/index.ts";
import { slotAfter } from "../slots.ts";

/** The schedule, locked until the end of the transaction; undefined when the project has none with this id. */
export const lockSchedule = (tx: Tx<Tables>, projectId: string, id: string): Promise<ScheduleRow | undefined> =>
  tx
    .selectFrom("schedules")
    .selectAll()
    .where("id", "=", id)
    .where("project_id", "=", projectId)
    .forUpdate()
    .executeTakeFirst();

/** Schedules by id, locked in the order of their ids until the end of the transaction. */
export const lockSchedules = (tx: Tx<Tables>, ids: readonly string[]): Promise<ScheduleRow[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : tx.selectFrom("schedules").selectAll().where("id", "in", ids).orderBy("id").forUpdate().execute();

export interface ScheduleChange {
  readonly projectId: string;
  readonly scheduleId: string;
  readonly kind: "upsert" | "delete";
}

const changesPerStatement = 1000;

/**
 * Gives each change its revision and stores it for the schedulers. The counter stays locked until the transaction ends, so revisions become
 * visible in their order. Lock the project and the schedules first, in a transaction that is `alone`: in a shared one, others would lock
 * their schedules after the counter.
 *
 * @returns the revisions, in the order of the changes.
 */
export async function recordChanges(
  tx: Tx<Tables>,
  changes: readonly ScheduleChange[],
  now: Date,
): Promise<readonly number[]> {
  if (changes.length === 0) return [];
  const { revision } = await tx
    .updateTable("schedule_control")
    .set((eb) => ({ revision: eb("revision", "+", changes.length) }))
    .returning("revision")
    .executeTakeFirstOrThrow();
  const first = Number(revision) - changes.length + 1;
  const rows = changes.map(({ projectId, scheduleId, kind }, index) => ({
    revision: first + index,
    project_id: projectId,
    schedule_id: scheduleId,
    change_kind: kind,
    changed_at: now,
  }));
  for (const some of chunks(rows, changesPerStatement)) await tx.insertInto("schedule_changes").values(some).execute();
  return rows.map((row) => row.revision);
}

/** The columns that a change of definition or control sets. */
export type ScheduleControl = Partial<Omit<ScheduleRow, "id" | "project_id" | "control_token" | "schedule_revision">>;

export interface ChangeTime {
  readonly now: Date;
  /** For changes that do not concern what is fired or when, such as a name: a slot that is due is still fired. */
  readonly keepsSlot?: boolean;
}

/**
 * Changes the definition or the control of a locked schedule: with a new control token, a new revision, and the next slot from now on. Fires
 * and moves of the cursor do not come through here.
 */
export async function changeControl(
  tx: Tx<Tables>,
  row: ScheduleRow,
  { now, keepsSlot = false, ...given }: ScheduleControl & ChangeTime,
): Promise<ScheduleRow> {
  const [revision = row.schedule_revision] = await recordChanges(
    tx,
    [{ projectId: row.project_id, scheduleId: row.id, kind: "upsert" }],
    now,
  );
  const changed: ScheduleRow = { ...row, ...given, control_token: randomToken(), schedule_revision: revision };
  const nextRunAt = keepsSlot ? row.next_run_at : slotAfter(changed, now);
  const next: ScheduleRow = { ...changed, next_run_at: nextRunAt, updated_at: now };
  const { id, project_id, ...columns } = next;
  await tx.updateTable("schedules").set(columns).where("id", "=", id).where("project_id", "=", project_id).execute();
  return next;
}

/** Disables locked schedules, as `changeControl` does, in one statement. */
export async function disableSchedules(tx: Tx<Tables>, rows: readonly ScheduleRow[], now: Date): Promise<void> {
  if (rows.length === 0) return;
  const changes = rows.map(({ id, project_id }) => ({
    scheduleId: id,
    projectId: project_id,
    kind: "upsert" as const,
  }));
  const revisions = await recordChanges(tx, changes, now);
  const given = valuesRows(
    ["uuid", "text", "bigint"],
    rows.map(({ id }, index) => [id, randomToken(), String(revisions[index])]),
  );
  await sql`UPDATE schedules SET is_enabled = ${false}, next_run_at = NULL, updated_at = ${now},
      control_token = given.column2, schedule_revision = ${typed(sql`given.column3`, "bigint")}
    FROM (${given}) AS given WHERE schedules.id = given.column1`.execute(tx);
}
