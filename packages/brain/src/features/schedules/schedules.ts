import { ApiError } from "../../platform/http/error-codes.ts";
import { type ControlDeps, createControl } from "./control/control.ts";
import { findOperation } from "./control/operation-reads.ts";
import { createQuarantine } from "./control/quarantine.ts";
import { createEditing } from "./definitions/edit.ts";
import { createImport } from "./importing/import.ts";
import { createLists, type ListDeps } from "./listing/list.ts";

import { findProject } from "./store.ts";
import { forecast } from "./timing/forecast.ts";
import { preview } from "./timing/preview.ts";
import type { ForecastQuery, PreviewQuery } from "./timing/schemas.ts";
import { firingSchedules } from "./timing/timing-reads.ts";

export interface SchedulesDeps extends ControlDeps, ListDeps {}

/** Schedules that forecasts and previews consider. */
const mostSchedules = 10_000;

/** Schedules: their definitions and their control. What they fire belongs to features/fires. */
export function createSchedules(deps: SchedulesDeps) {
  const { database, clock } = deps;

  async function firing(projectId: string) {
    const rows = await firingSchedules(database.slow, projectId, mostSchedules + 1);
    return { schedules: rows.slice(0, mostSchedules), isWhole: rows.length <= mostSchedules };
  }

  return {
    lists: createLists(deps),
    ...createEditing(deps),
    ...createControl(deps),
    ...createQuarantine(deps),
    ...createImport(deps),
    async forecast(projectId: string, { days, schedule_id: edited }: ForecastQuery) {
      const { schedules: all, isWhole } = await firing(projectId);
      const schedules = all.filter(({ id }) => id !== edited?.toLowerCase());
      const timezone = (await findProject(database.read, projectId))?.timezone ?? "UTC";
      return forecast(schedules, { now: clock.now(), days, timezone, isWhole });
    },
    /** @throws ApiError `validation_error` with details.reason and details.field */
    async preview(projectId: string, query: PreviewQuery) {
      const { schedules: others, isWhole } = await firing(projectId);
      return preview(query, { now: clock.now(), others, isWhole });
    },
    /** @throws ApiError `not_found` */
    async operation(projectId: string, id: string) {
      const found = await findOperation(database.read, projectId, id);
      if (found === undefined) throw new ApiError("not_found", { resource: "external_control_operation" });
      return found;
    },
  };
}

export type Schedules = ReturnType<typeof createSchedules>;
