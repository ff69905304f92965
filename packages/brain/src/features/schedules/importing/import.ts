import { randomToken } from "@svc/protocol";
import type { Tx } from "../../../platform/database/database.ts";
import { isUniqueViolation } from "../../../platform/database/errors.ts";
import { ApiError } from "../../../platform/http/error-codes.ts";
import { uuidV7 } from "../../../platform/ids.ts";
import type { Db, ScheduleRow, Tables } from "../../../schema/tables/index.ts";
import { recordChanges, type ScheduleChange } from "../control/control-store.ts";
import { schedulesAmong } from "../listing/reads.ts";
import { publicSchedule } from "../listing/shapes.ts";
import { alone, type ChangeDeps, type Requester, requireActive } from "../rules.ts";
import { ownScheduler, slotAfter } from "../slots.ts";
import { findProject, holdProject } from "../store.ts";
import { deleteSchedules, insertSchedules, lockAll, updateSchedule } from "./import-store.ts";
import { comparedIds, type ImportPlan, planImport, requireMode } from "./plan.ts";
import type { Difference, DiffReply, ImportBody, ImportReply } from "./schemas.ts";

/** Schedules that another request created at the same time make an import begin again. */
const attempts = 3;
/** Total size of the stored schedules that a diff shows. */
const shownBytes = 8 * 1024 * 1024;

export function createImport({ database, clock, audit, publish }: ChangeDeps) {
  const newId = () => uuidV7(clock);

  async function apply(tx: Tx<Tables>, body: ImportBody, { projectId, origin }: Requester): Promise<ImportPlan> {
    const now = clock.now();
    const project = requireActive(await holdProject(tx, projectId));
    await lockAll(tx, await comparedIds(tx, body, projectId));
    const plan = await planImport(tx, body, { projectId, project, now, newId });
    await store(tx, plan, now);
    await audit.append(tx, {
      ...origin,
      action: "schedules.import",
      target_type: "project",
      target_id: projectId,
      project_id: projectId,
      metadata: { mode: body.mode, source_filter: body.source_filter ?? null, ...countsOf(plan) },
    });
    return plan;
  }

  return {
    /**
     * Creates, changes and deletes schedules in one transaction. A refused entry does not affect the others.
     *
     * @throws ApiError `validation_error` for the mode; `conflict` for an archived project, and when others create the same names
     */
    async import(body: ImportBody, requester: Requester): Promise<ImportReply> {
      requireMode(body);
      const { projectId } = requester;
      for (let attempt = 1; ; attempt += 1) {
        try {
          const plan = await database.write((tx) => apply(tx, body, requester), alone);
          const counts = countsOf(plan);
          if (counts.inserted + counts.updated + counts.deleted > 0) {
            publish({ projectId, topic: "schedule.changed", ids: null });
          }
          return { ...counts, errors: errorsOf(plan) };
        } catch (error) {
          if (!isUniqueViolation(error)) throw error;
          if (attempt === attempts) throw new ApiError("conflict", { reason: "name_in_use" }, { cause: error });
        }
      }
    },

    /** What an import would do; changes nothing. @throws ApiError `validation_error` for the mode */
    async diff(body: ImportBody, projectId: string): Promise<DiffReply> {
      requireMode(body);
      const plan = await database.snapshot(async (db) => {
        const project = requireActive(await findProject(db, projectId));
        return planImport(db, body, { projectId, project, now: clock.now(), newId });
      });
      return differences(database.read, projectId, plan, clock.now());
    },
  };
}

async function store(tx: Tx<Tables>, { inserted, updated, deleted }: ImportPlan, now: Date): Promise<void> {
  const change = (kind: ScheduleChange["kind"]) => (row: Pick<ScheduleRow, "id" | "project_id">) => ({
    projectId: row.project_id,
    scheduleId: row.id,
    kind,
  });
  const revisions = await recordChanges(
    tx,
    [
      ...inserted.map(change("upsert")),
      ...updated.map(({ stored }) => change("upsert")(stored)),
      ...deleted.map(change("delete")),
    ],
    now,
  );
  const revisionAt = (index: number) => revisions[index] as number;
  await deleteSchedules(
    tx,
    deleted.map(({ id }) => id),
  );
  for (const [index, { stored, columns }] of updated.entries()) {
    const next = { ...stored, ...columns };
    await updateSchedule(tx, stored, {
      ...columns,
      control_token: randomToken(),
      schedule_revision: revisionAt(inserted.length + index),
      next_run_at: slotAfter(next, now),
      updated_at: now,
    });
  }
  await insertSchedules(
    tx,
    inserted.map((row, index) => ({ ...row, schedule_revision: revisionAt(index) })),
  );
}

const countsOf = ({ inserted, updated, unchanged, deleted, errors }: ImportPlan) => ({
  inserted: inserted.length,
  updated: updated.length,
  unchanged: unchanged.length,
  failed: errors.size,
  deleted: deleted.length,
});

const errorsOf = ({ errors }: ImportPlan): Record<string, string> => Object.fromEntries(errors);

async function differences(db: Db, projectId: string, plan: ImportPlan, now: Date): Promise<DiffReply> {
  const ids = [...plan.updated.map(({ stored }) => stored), ...plan.deleted].map(({ id }) => id);
  const { rows } = await schedulesAmong(db, { projectId, ids }, shownBytes);
  const current = new Map(rows.map((row) => [row.id, row]));
  const nameOf = ({ name }: { readonly name: string }) => ({ name, scheduler: ownScheduler });
  const currentOf = (id: string) => {
    const row = current.get(id);
    return row === undefined ? {} : { current: publicSchedule(row) };
  };
  const updated = plan.updated.map(({ stored, columns }): Difference => {
    const row = current.get(stored.id);
    if (row === undefined) return nameOf(stored);
    const next = { ...row, ...columns };
    const proposed = publicSchedule({ ...next, next_run_at: slotAfter(next, now) });
    return { ...nameOf(stored), proposed, current: publicSchedule(row) };
  });
  return {
    inserted: plan.inserted.map((row) => ({ ...nameOf(row), proposed: publicSchedule(row) })),
    updated,
    unchanged: plan.unchanged.map(nameOf),
    deleted: plan.deleted.map((row) => ({ ...nameOf(row), ...currentOf(row.id) })),
    summary: countsOf(plan),
    errors: errorsOf(plan),
  };
}
