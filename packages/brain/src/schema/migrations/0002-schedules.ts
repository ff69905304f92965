import type { ColumnTypes } from "../../platform/database/dialects/column-types.ts";
import type { Migration } from "../../platform/database/migrate.ts";

/** Schedules, their fires, and what schedulers need. */
export const schedules: Migration = {
  name: "0002_schedules",
  statements: (t) => [...scheduleTables(t), ...nativeTables(t), ...fireTables(t)],
};

const scheduleTables = (t: ColumnTypes): readonly string[] => [
  `CREATE TABLE schedules (
    id ${t.uuid} PRIMARY KEY, project_id ${t.uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE, engine ${t.text} NOT NULL,
    scheduler ${t.text} NOT NULL, name ${t.text} NOT NULL, task_name ${t.text} NOT NULL, kind ${t.text} NOT NULL,
    expression ${t.text} NOT NULL, timezone ${t.text} NOT NULL, queue ${t.text}, priority ${t.text} NOT NULL,
    args ${t.json} NOT NULL, kwargs ${t.json} NOT NULL, catch_up ${t.text} NOT NULL, overlap_policy ${t.text} NOT NULL,
    is_enabled ${t.bool} NOT NULL, paused_at ${t.instant}, quarantine_code ${t.text}, quarantine_detail ${t.text},
    quarantined_at ${t.instant}, source ${t.text} NOT NULL, source_hash ${t.text}, external_id ${t.text},
    definition_digest ${t.text} NOT NULL, control_token ${t.text} NOT NULL, schedule_revision ${t.int} NOT NULL,
    last_run_at ${t.instant}, next_run_at ${t.instant}, total_runs ${t.int} NOT NULL,
    late_start_seconds ${t.int}, long_run_seconds ${t.int},
    position_epoch ${t.int}, position_sequence ${t.int}, position_event_id ${t.uuid},
    created_at ${t.instant} NOT NULL, updated_at ${t.instant} NOT NULL,
    UNIQUE (project_id, scheduler, name)) ${t.options}`,
  "CREATE INDEX schedules_by_name ON schedules (project_id, name, id)",
  "CREATE INDEX schedules_by_task ON schedules (project_id, engine, task_name)",
  "CREATE INDEX schedules_by_source ON schedules (project_id, source, id)",
  // The others are counted through an index that exists anyway: these three cost nothing when a schedule fires.
  "CREATE INDEX schedules_disabled ON schedules (project_id, is_enabled) WHERE is_enabled = false",
  "CREATE INDEX schedules_paused ON schedules (project_id, paused_at) WHERE paused_at IS NOT NULL",
  "CREATE INDEX schedules_quarantined ON schedules (project_id, quarantined_at) WHERE quarantined_at IS NOT NULL",
  // Found by the sweeps for misfires: slots that nothing fired, and schedules with a limit.
  "CREATE INDEX schedules_due ON schedules (next_run_at, id) WHERE next_run_at IS NOT NULL",
  `CREATE INDEX schedules_limited ON schedules (id)
    WHERE late_start_seconds IS NOT NULL OR long_run_seconds IS NOT NULL`,

  `CREATE TABLE schedule_control (
    singleton ${t.int} PRIMARY KEY CHECK (singleton = 1), revision ${t.int} NOT NULL) ${t.options}`,
  "INSERT INTO schedule_control (singleton, revision) VALUES (1, 0)",

  `CREATE TABLE schedule_changes (
    revision ${t.int} PRIMARY KEY, project_id ${t.uuid} NOT NULL, schedule_id ${t.uuid} NOT NULL,
    change_kind ${t.text} NOT NULL CHECK (change_kind IN ('upsert', 'delete', 'gap', 'snapshot')),
    changed_at ${t.instant} NOT NULL) ${t.options}`,
  "CREATE INDEX schedule_changes_by_age ON schedule_changes (changed_at)",

  `CREATE TABLE schedule_skips (
    id ${t.uuid} PRIMARY KEY, project_id ${t.uuid} NOT NULL,
    schedule_id ${t.uuid} NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
    skipped_at ${t.instant} NOT NULL, count ${t.int} NOT NULL) ${t.options}`,
  "CREATE INDEX schedule_skips_by_schedule ON schedule_skips (schedule_id, skipped_at)",
  "CREATE INDEX schedule_skips_by_age ON schedule_skips (skipped_at)",

  `CREATE TABLE scheduler_rate_buckets (
    certificate ${t.text} PRIMARY KEY, tokens ${t.real} NOT NULL, refilled_at ${t.instant} NOT NULL) ${t.options}`,
];

const nativeTables = (t: ColumnTypes): readonly string[] => [
  `CREATE TABLE schedule_streams (
    project_id ${t.uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE, owner ${t.text} NOT NULL,
    is_sequenced ${t.bool} NOT NULL, floor_epoch ${t.int}, floor_sequence ${t.int}, floor_event_id ${t.uuid},
    updated_at ${t.instant} NOT NULL, PRIMARY KEY (project_id, owner)) ${t.options}`,

  `CREATE TABLE schedule_tombstones (
    project_id ${t.uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE, owner ${t.text} NOT NULL, name ${t.text} NOT NULL,
    position_epoch ${t.int} NOT NULL, position_sequence ${t.int} NOT NULL, position_event_id ${t.uuid} NOT NULL,
    deleted_at ${t.instant} NOT NULL, PRIMARY KEY (project_id, owner, name)) ${t.options}`,
  "CREATE INDEX schedule_tombstones_by_age ON schedule_tombstones (deleted_at)",

  `CREATE TABLE schedule_snapshot_parts (
    project_id ${t.uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE, owner ${t.text} NOT NULL,
    snapshot_id ${t.text} NOT NULL, part ${t.int} NOT NULL, parts ${t.int} NOT NULL,
    position_epoch ${t.int} NOT NULL, position_sequence ${t.int} NOT NULL, position_event_id ${t.uuid} NOT NULL,
    schedules ${t.json} NOT NULL, received_at ${t.instant} NOT NULL,
    PRIMARY KEY (project_id, owner, snapshot_id, part)) ${t.options}`,
  "CREATE INDEX schedule_snapshot_parts_by_age ON schedule_snapshot_parts (received_at)",

  `CREATE TABLE external_control_operations (
    id ${t.uuid} PRIMARY KEY, project_id ${t.uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    schedule_id ${t.uuid} NOT NULL, command_id ${t.uuid} NOT NULL,
    action ${t.text} NOT NULL, status ${t.text} NOT NULL, desired_is_enabled ${t.bool}, error ${t.text},
    created_at ${t.instant} NOT NULL, updated_at ${t.instant} NOT NULL) ${t.options}`,
  `CREATE UNIQUE INDEX external_control_operations_pending ON external_control_operations (schedule_id)
    WHERE status = 'pending'`,
  "CREATE INDEX external_control_operations_by_age ON external_control_operations (created_at)",
];

const fireTables = (t: ColumnTypes): readonly string[] => [
  `CREATE TABLE schedule_fires (
    id ${t.uuid} NOT NULL, project_id ${t.uuid} NOT NULL, schedule_id ${t.uuid} NOT NULL, fire_id ${t.uuid} NOT NULL,
    command_id ${t.uuid}, status ${t.text} NOT NULL, scheduled_for ${t.instant} NOT NULL, fired_at ${t.instant} NOT NULL,
    dispatched_at ${t.instant}, acked_at ${t.instant}, latency_ms ${t.int}, error_code ${t.text}, error_message ${t.text},
    triggered_by_user_id ${t.uuid}, engine ${t.text} NOT NULL, task_id ${t.text},
    PRIMARY KEY (project_id, fired_at, id)) ${t.partitionedBy("fired_at")}`,
  "CREATE INDEX schedule_fires_by_schedule ON schedule_fires (schedule_id, fired_at, id)",
  `CREATE INDEX schedule_fires_open ON schedule_fires (schedule_id, fired_at)
    WHERE status IN ('pending', 'accepted', 'delivered', 'buffered')`,
  // Found by the circuit breaker.
  `CREATE INDEX schedule_fires_failed ON schedule_fires (fired_at, schedule_id)
    WHERE status IN ('failed', 'acked_failed')`,
  "CREATE INDEX schedule_fires_by_user ON schedule_fires (triggered_by_user_id) WHERE triggered_by_user_id IS NOT NULL",
  "CREATE INDEX schedule_fires_by_task ON schedule_fires (project_id, engine, task_id) WHERE task_id IS NOT NULL",

  `CREATE TABLE schedule_fire_ids (
    fire_id ${t.uuid} PRIMARY KEY, project_id ${t.uuid} NOT NULL, schedule_id ${t.uuid} NOT NULL,
    scheduled_for ${t.instant} NOT NULL, fired_at ${t.instant} NOT NULL) ${t.options}`,
  "CREATE INDEX schedule_fire_ids_by_age ON schedule_fire_ids (fired_at)",

  `CREATE TABLE pending_fires (
    fire_id ${t.uuid} PRIMARY KEY, project_id ${t.uuid} NOT NULL, schedule_id ${t.uuid} NOT NULL, engine ${t.text} NOT NULL,
    payload ${t.json} NOT NULL, definition_digest ${t.text} NOT NULL, schedule_revision ${t.int} NOT NULL,
    scheduled_for ${t.instant} NOT NULL, fired_at ${t.instant} NOT NULL, enqueued_at ${t.instant} NOT NULL,
    expires_at ${t.instant} NOT NULL) ${t.options}`,
  "CREATE INDEX pending_fires_by_engine ON pending_fires (project_id, engine, scheduled_for, fire_id)",
  "CREATE INDEX pending_fires_by_schedule ON pending_fires (schedule_id, scheduled_for)",
  "CREATE INDEX pending_fires_by_expiry ON pending_fires (expires_at)",

  `CREATE TABLE misfire_alerts (
    schedule_id ${t.uuid} NOT NULL REFERENCES schedules (id) ON DELETE CASCADE, expected_fire_at ${t.instant} NOT NULL,
    misfire_kind ${t.text} NOT NULL, project_id ${t.uuid} NOT NULL, detected_at ${t.instant} NOT NULL,
    lateness_seconds ${t.int} NOT NULL, grace_seconds ${t.int} NOT NULL, name ${t.text} NOT NULL, engine ${t.text} NOT NULL,
    kind ${t.text} NOT NULL, PRIMARY KEY (schedule_id, expected_fire_at, misfire_kind)) ${t.options}`,
  "CREATE INDEX misfire_alerts_by_project ON misfire_alerts (project_id, detected_at)",
  "CREATE INDEX misfire_alerts_by_age ON misfire_alerts (detected_at)",
];
