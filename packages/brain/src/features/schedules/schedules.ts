import { type ControlDeps, createControl } from "./control/control.ts";
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
    countByState: (projectId: string) => countSchedules(deps.database.slow, projectId),
  };
}

export type Schedules = ReturnType<typeof createSchedules>;
