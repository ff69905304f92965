import { randomUUID } from "node:crypto";
import { definitionDigest } from "@svc/protocol";
import type { BrainDatabase, ExternalControlOperationRow, ScheduleRow } from "../../src/schema/tables/index.ts";

/** An enabled schedule of this service that fires every hour. */
export function scheduleRow({ project_id, ...given }: Partial<ScheduleRow> & { project_id: string }): ScheduleRow {
  const at = new Date("2026-01-01T00:00:00Z");
  const row: ScheduleRow = {
    id: randomUUID(),
    project_id,
    engine: "bullmq",
    scheduler: "svc-scheduler",
    name: `schedule-${randomUUID()}`,
    task_name: "send-mails",
    kind: "interval",
    expression: "3600",
    timezone: "UTC",
    queue: null,
    priority: "normal",
    args: "[]",
    kwargs: "{}",
    catch_up: "fire_one_missed",
    overlap_policy: "allow",
    is_enabled: true,
    paused_at: null,
    quarantine_code: null,
    quarantine_detail: null,
    quarantined_at: null,
    source: "dashboard",
    source_hash: null,
    external_id: null,
    definition_digest: "",
    control_token: randomUUID(),
    schedule_revision: 0,
    last_run_at: null,
    next_run_at: null,
    total_runs: 0,
    late_start_seconds: null,
    long_run_seconds: null,
    position_epoch: null,
    position_sequence: null,
    position_event_id: null,
    created_at: at,
    updated_at: at,
    ...given,
  };
  const digest = definitionDigest({ ...row, args: JSON.parse(row.args), kwargs: JSON.parse(row.kwargs) });
  return { ...row, definition_digest: given.definition_digest ?? digest };
}

/** A schedule and an operation on it, stored; returns the parameters of the routes that read them. */
export async function plantSchedule(database: BrainDatabase, projectId: string): Promise<Record<string, string>> {
  const schedule = scheduleRow({ project_id: projectId });
  const now = schedule.created_at;
  const operation: ExternalControlOperationRow = {
    id: randomUUID(),
    project_id: projectId,
    schedule_id: schedule.id,
    command_id: randomUUID(),
    action: "schedule.enable",
    status: "succeeded",
    desired_is_enabled: true,
    error: null,
    created_at: now,
    updated_at: now,
  };
  await database.write(async (tx) => {
    await tx.insertInto("schedules").values(schedule).execute();
    await tx.insertInto("external_control_operations").values(operation).execute();
  });
  const { id, kind, expression } = schedule;
  return { schedule_id: id, id, kind, expression, operation_id: operation.id };
}
