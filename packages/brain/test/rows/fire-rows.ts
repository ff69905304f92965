/** Rows of schedules and their fires for tests, as the service writes them. */
import { randomUUID } from "node:crypto";
import { definitionDigest } from "@svc/protocol";
import type { ScheduleFireRow, ScheduleRow } from "../../src/schema/tables/index.ts";

/** An enabled schedule of this service that fires every minute on bullmq. */
export function ownScheduleRow(given: Partial<ScheduleRow> & Pick<ScheduleRow, "project_id">): ScheduleRow {
  const id = given.id ?? randomUUID();
  const created_at = given.created_at ?? new Date(Date.UTC(2026, 0, 2, 3, 4, 5));
  const row: ScheduleRow = {
    id,
    engine: "bullmq",
    scheduler: "svc-scheduler",
    name: `schedule ${id}`,
    task_name: "mail.digest",
    kind: "interval",
    expression: "60",
    timezone: "UTC",
    queue: "mail",
    priority: "normal",
    args: "[1]",
    // With a space, as the server database prints it.
    kwargs: '{"to": "all"}',
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
    schedule_revision: 1,
    last_run_at: null,
    next_run_at: null,
    total_runs: 0,
    late_start_seconds: null,
    long_run_seconds: null,
    position_epoch: null,
    position_sequence: null,
    position_event_id: null,
    created_at,
    updated_at: created_at,
    ...given,
  };
  const definition = { ...row, args: JSON.parse(row.args), kwargs: JSON.parse(row.kwargs) };
  return { ...row, definition_digest: given.definition_digest ?? definitionDigest(definition) };
}

/** A fire that was accepted at `fired_at`. */
export function fireRow(
  given: Partial<ScheduleFireRow> & Pick<ScheduleFireRow, "project_id" | "schedule_id" | "fired_at">,
): ScheduleFireRow {
  return {
    id: randomUUID(),
    fire_id: randomUUID(),
    command_id: null,
    status: "accepted",
    scheduled_for: given.fired_at,
    dispatched_at: null,
    acked_at: null,
    latency_ms: null,
    error_code: null,
    error_message: null,
    triggered_by_user_id: null,
    engine: "bullmq",
    task_id: null,
    ...given,
  };
}
