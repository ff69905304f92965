import { ApiError, invalid } from "../../platform/http/error-codes.ts";
import type { Core, ProjectRow, ScheduleRow } from "../../schema/tables/index.ts";
import type { Audit, AuditEntry, AuditOrigin } from "../audit/index.ts";
import { ownScheduler } from "./slots.ts";
import type { ScheduleProject } from "./store.ts";

/** Who changes schedules, and in which project. */
export interface Requester {
  readonly projectId: string;
  readonly origin: AuditOrigin;
}

/** What every change of schedules needs. */
export interface ChangeDeps extends Core {
  readonly audit: Pick<Audit, "append">;
  /** Called with schedules whose public row changed, for the live hub; must not throw. */
  readonly publish: (change: { projectId: string; topic: "schedule.changed"; ids: readonly string[] | null }) => void;
}

/** Transactions that change schedules share with no others, see `recordChanges`. */
export const alone = { alone: true } as const;

export const noSchedule = (): ApiError => new ApiError("not_found", { resource: "schedule" });

/** @throws ApiError `not_found`; `conflict` for an archived project */
export function requireActive(project: ScheduleProject | undefined): ScheduleProject {
  if (project === undefined) throw new ApiError("not_found", { resource: "project" });
  if (!project.is_active) throw new ApiError("conflict", { reason: "project_archived" });
  return project;
}

/** @throws ApiError `conflict` for a schedule that an engine's scheduler defines. */
export function requireOwn({ scheduler }: Pick<ScheduleRow, "scheduler">): void {
  if (scheduler === ownScheduler) return;
  throw new ApiError(
    "conflict",
    { reason: "native_schedule", scheduler },
    { message: "the scheduler of the engine defines this schedule; change it there" },
  );
}

/**
 * Checks who fires a new schedule.
 *
 * @throws ApiError `validation_error` for a scheduler that the project does not allow; `conflict` for one that defines its schedules itself.
 */
export function requireOwner(
  asked: string | null | undefined,
  project: Pick<ProjectRow, "default_scheduler_owner" | "allowed_schedulers">,
): void {
  const scheduler = asked ?? project.default_scheduler_owner;
  const allowed = project.allowed_schedulers === null ? null : (JSON.parse(project.allowed_schedulers) as string[]);
  if (allowed !== null && !allowed.includes(scheduler)) {
    throw invalid(
      { loc: ["body", "scheduler"], type: "not_allowed", message: "is not one of the schedulers of the project" },
      { reason: "scheduler_not_allowed", field: "scheduler" },
    );
  }
  if (scheduler === ownScheduler) return;
  throw new ApiError(
    "conflict",
    { reason: "native_scheduler", scheduler },
    { message: "define the schedule in the scheduler of its engine; this service shows it from there" },
  );
}

export const nameInUse = (error: unknown): ApiError =>
  new ApiError("conflict", { reason: "name_in_use" }, { cause: error });

export const entryOf = (
  action: string,
  row: ScheduleRow,
  origin: AuditOrigin,
  metadata: Record<string, unknown> = {},
): AuditEntry => ({
  ...origin,
  action: `schedule.${action}`,
  target_type: "schedule",
  target_id: row.id,
  project_id: row.project_id,
  metadata: { name: row.name, ...metadata },
});
