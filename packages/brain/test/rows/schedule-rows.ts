import { randomUUID } from "node:crypto";
import { definitionDigest } from "@svc/protocol";
import type { ScheduleRow } from "../../src/schema/tables/index.ts";

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
