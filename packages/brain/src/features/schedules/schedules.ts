import { ApiError } from "../../platform/http/error-codes.ts";
import { type ControlDeps, createControl } from "./control/control.ts";
import { findOperation } from "./control/operation-reads.ts";
import { createQuarantine } from "./control/quarantine.ts";
import { createEditing } from "./definitions/edit.ts";
import { createLists, type ListDeps } from "./listing/list.ts";
import { countSchedules } from "./listing/reads.ts";

export interface SchedulesDeps extends ControlDeps, ListDeps {}

/** Schedules: their definitions and their control. What they fire belongs to features/fires. */
export function createSchedules(deps: SchedulesDeps) {
  return {
    lists: createLists(deps),
    ...createEditing(deps),
    ...createControl(deps),
    ...createQuarantine(deps),
    /** @throws ApiError `not_found` */
    async operation(projectId: string, id: string) {
      const found = await findOperation(deps.database.read, projectId, id);
      if (found === undefined) throw new ApiError("not_found", { resource: "external_control_operation" });
      return found;
    },
    countByState: (projectId: string) => countSchedules(deps.database.slow, projectId),
  };
}

export type Schedules = ReturnType<typeof createSchedules>;
