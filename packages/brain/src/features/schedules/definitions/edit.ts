import { isUniqueViolation } from "../../../platform/database/errors.ts";
import { uuidV7 } from "../../../platform/ids.ts";
import type { ScheduleRow } from "../../../schema/tables/index.ts";
import { changeControl, lockSchedule, recordChanges } from "../control/control-store.ts";
import {
  alone,
  type ChangeDeps,
  entryOf,
  nameInUse,
  noSchedule,
  type Requester,
  requireActive,
  requireOwn,
  requireOwner,
} from "../rules.ts";
import type { ScheduleChanges, ScheduleCreate } from "../schemas.ts";
import { deleteSchedule, holdProject, insertSchedule } from "../store.ts";
import { columnsOf, differing, digestOf, newRow, requireCadence } from "./definition.ts";

/** Creating, changing and deleting definitions. */
export function createEditing({ database, clock, audit, publish }: ChangeDeps) {
  const changed = ({ project_id: projectId, id }: ScheduleRow) =>
    publish({ projectId, topic: "schedule.changed", ids: [id] });

  return {
    /** @throws ApiError `validation_error` for the definition, `conflict` for its scheduler and for a name in use */
    async create(body: ScheduleCreate, { projectId, origin }: Requester): Promise<ScheduleRow> {
      const row = newRow(body, { id: uuidV7(clock), projectId, now: clock.now() });
      const write = database.write(async (tx) => {
        requireOwner(body.scheduler, requireActive(await holdProject(tx, projectId)));
        const [revision = 0] = await recordChanges(
          tx,
          [{ projectId, scheduleId: row.id, kind: "upsert" }],
          row.created_at,
        );
        const created = { ...row, schedule_revision: revision };
        await insertSchedule(tx, created);
        await audit.append(tx, entryOf("create", created, origin, { source: row.source }));
        return created;
      }, alone);
      const created = await write.catch(nameTaken);
      changed(created);
      return created;
    },

    /**
     * @returns the schedule, unchanged when the body changes nothing.
     * @throws ApiError `not_found`; `validation_error` for the definition; `conflict` for a native schedule and for a name in use
     */
    async update(id: string, body: ScheduleChanges, { projectId, origin }: Requester): Promise<ScheduleRow> {
      const wanted = columnsOf(body);
      const write = database.write(async (tx) => {
        const row = await lockSchedule(tx, projectId, id);
        if (row === undefined) throw noSchedule();
        requireOwn(row);
        const changes = differing(row, wanted);
        if (Object.keys(changes).length === 0) return { row, isChanged: false };
        const now = clock.now();
        const next = { ...row, ...changes };
        const digest = digestOf(next);
        const keepsSlot = digest === row.definition_digest && next.is_enabled === row.is_enabled;
        if (!keepsSlot) requireCadence(next, now);
        const updated = await changeControl(tx, row, { ...changes, definition_digest: digest, now, keepsSlot });
        await audit.append(tx, entryOf("update", updated, origin, { changed: Object.keys(changes).sort() }));
        return { row: updated, isChanged: true };
      }, alone);
      const { row, isChanged } = await write.catch(nameTaken);
      if (isChanged) changed(row);
      return row;
    },

    /** @throws ApiError `not_found`; `conflict` for a native schedule */
    async remove(id: string, { projectId, origin }: Requester): Promise<void> {
      const removed = await database.write(async (tx) => {
        const row = await lockSchedule(tx, projectId, id);
        if (row === undefined) throw noSchedule();
        requireOwn(row);
        await recordChanges(tx, [{ projectId, scheduleId: id, kind: "delete" }], clock.now());
        await deleteSchedule(tx, row);
        await audit.append(tx, entryOf("delete", row, origin));
        return row;
      }, alone);
      changed(removed);
    },
  };
}

function nameTaken(error: unknown): never {
  throw isUniqueViolation(error) ? nameInUse(error) : error;
}
