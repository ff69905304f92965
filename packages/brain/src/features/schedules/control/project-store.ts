import { randomToken } from "@svc/protocol";
import { chunks } from "../../../platform/chunks.ts";
import type { Tx } from "../../../platform/database/database.ts";
import type { Tables } from "../../../schema/tables/index.ts";
import { ownScheduler, type Slotted, slotAfter } from "../slots.ts";
import { recordChanges } from "./control-store.ts";

const rowsPerRead = 1000;

/**
 * Lets schedulers notice that a project was archived or restored, in the transaction that does it and has locked the project. Schedulers
 * drop the schedules of an archived project; those of a restored one continue from now on, as after a pause.
 *
 * @returns how many schedules this service fires in the project.
 */
export async function followProject(
  tx: Tx<Tables>,
  { projectId, isActive, now }: { readonly projectId: string; readonly isActive: boolean; readonly now: Date },
): Promise<number> {
  const rows = await lockOwn(tx, projectId);
  const kind = isActive ? "upsert" : "delete";
  const revisions = await recordChanges(
    tx,
    rows.map(({ id: scheduleId }) => ({ projectId, scheduleId, kind })),
    now,
  );
  if (!isActive) return rows.length;
  for (const [index, row] of rows.entries()) {
    await tx
      .updateTable("schedules")
      .set({
        control_token: randomToken(),
        schedule_revision: revisions[index] as number,
        next_run_at: slotAfter(row, now),
        updated_at: now,
      })
      .where("id", "=", row.id)
      .where("project_id", "=", projectId)
      .execute();
  }
  return rows.length;
}

type Locked = Slotted & { readonly id: string };

/** The own schedules of a project, locked in the order of their ids. Without arguments, so that all fit in memory. */
async function lockOwn(tx: Tx<Tables>, projectId: string): Promise<Locked[]> {
  const ids = await tx
    .selectFrom("schedules")
    .select("id")
    .where("project_id", "=", projectId)
    .where("scheduler", "=", ownScheduler)
    .orderBy("id")
    .execute();
  const rows: Locked[] = [];
  for (const some of chunks(ids, rowsPerRead)) {
    const locked = await tx
      .selectFrom("schedules")
      .select([
        ...(["id", "scheduler", "kind", "expression", "timezone", "next_run_at"] as const),
        ...(["is_enabled", "paused_at", "quarantined_at"] as const),
      ])
      .where(
        "id",
        "in",
        some.map(({ id }) => id),
      )
      .orderBy("id")
      .forUpdate()
      .execute();
    rows.push(...locked);
  }
  return rows;
}
