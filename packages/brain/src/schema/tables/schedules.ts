// Schedules, what they fired, and what schedulers need. Rules: features/schedules, features/fires and features/scheduler-grpc.

/** A schedule: of this service, or mirrored from the scheduler of an engine. */
export interface ScheduleRow {
  id: string;
  project_id: string;
  /** Where its task runs. */
  engine: string;
  /** Who fires it: `svc-scheduler`, or the name of a scheduler adapter. */
  scheduler: string;
  /** Unique in project and scheduler. */
  name: string;
  task_name: string;
  /** cron, interval, clocked or solar. */
  kind: string;
  expression: string;
  /** A name of the time-zone database. */
  timezone: string;
  queue: string | null;
  priority: string;
  /** JSON array. */
  args: string;
  /** JSON object. */
  kwargs: string;
  /** What happens to missed slots: skip, fire_one_missed or fire_all_missed. */
  catch_up: string;
  /** allow or skip: whether it fires while an earlier fire is open. */
  overlap_policy: string;
  is_enabled: boolean;
  /** Since when an operator holds it. */
  paused_at: Date | null;
  /** Why it can't be fired; null while it is not quarantined. */
  quarantine_code: string | null;
  quarantine_detail: string | null;
  quarantined_at: Date | null;
  /** Where the definition comes from, such as dashboard or imported. */
  source: string;
  /** Hash of the definition at its source. */
  source_hash: string | null;
  /** The id that the engine's own scheduler uses. */
  external_id: string | null;
  /** SHA-256 of the definition that is fired. */
  definition_digest: string;
  /** Changes with each change of definition or control. */
  control_token: string;
  /** Number of the last change of definition or control, from schedule_control. */
  schedule_revision: number;
  /** Slot of the last fire. */
  last_run_at: Date | null;
  /** The next slot; null when none follows, or while it is disabled, paused or quarantined. */
  next_run_at: Date | null;
  total_runs: number;
  /** A fire that starts later than this after its slot is a misfire; null for no limit. */
  late_start_seconds: number | null;
  /** A task that runs longer than this is a misfire; null for no limit. */
  long_run_seconds: number | null;
  /** Position of the last change that the engine's scheduler reported; null for schedules of this service. */
  position_epoch: number | null;
  position_sequence: number | null;
  position_event_id: string | null;
  created_at: Date;
  updated_at: Date;
}

/** The only row counts the changes of all schedules. */
export interface ScheduleControlRow {
  singleton: number;
  /** The newest revision. */
  revision: number;
}

/** One change of definition or control, kept for 7 days. */
export interface ScheduleChangeRow {
  revision: number;
  project_id: string;
  schedule_id: string;
  /** upsert, delete, gap or snapshot. */
  change_kind: string;
  changed_at: Date;
}

/** Slots that were skipped, for the count of the last 24 hours. */
export interface ScheduleSkipRow {
  id: string;
  project_id: string;
  schedule_id: string;
  skipped_at: Date;
  count: number;
}

/** How far the events of an engine's scheduler have been read. */
export interface ScheduleStreamRow {
  project_id: string;
  /** Name of the scheduler adapter. */
  owner: string;
  /** Whether it has sent positions; then events without one are refused. */
  is_sequenced: boolean;
  /** Position of the newest complete snapshot; changes up to it are ignored. */
  floor_epoch: number | null;
  floor_sequence: number | null;
  floor_event_id: string | null;
  updated_at: Date;
}

/** The position of a deletion, kept for 30 days, so that an older change does not create the schedule again. */
export interface ScheduleTombstoneRow {
  project_id: string;
  owner: string;
  name: string;
  position_epoch: number;
  position_sequence: number;
  position_event_id: string;
  deleted_at: Date;
}

/** A part of a snapshot whose other parts have not arrived, kept for 15 minutes. */
export interface ScheduleSnapshotPartRow {
  project_id: string;
  owner: string;
  snapshot_id: string;
  part: number;
  /** How many parts it has; 0 when two events contradict each other. */
  parts: number;
  position_epoch: number;
  position_sequence: number;
  position_event_id: string;
  /** JSON array. */
  schedules: string;
  received_at: Date;
}

/** A request to enable or disable a schedule of an engine. It outlives the schedule, so that its outcome can be read. */
export interface ExternalControlOperationRow {
  id: string;
  project_id: string;
  schedule_id: string;
  command_id: string;
  action: string;
  /** pending, succeeded, failed or ambiguous. */
  status: string;
  desired_is_enabled: boolean | null;
  error: string | null;
  created_at: Date;
  updated_at: Date;
}

/** A fire of a schedule of this service. */
export interface ScheduleFireRow {
  id: string;
  project_id: string;
  schedule_id: string;
  /** Derived by the scheduler from schedule, slot and control token; random for a manual run. */
  fire_id: string;
  command_id: string | null;
  /** See docs/internals/states/schedule-fire.md. */
  status: string;
  /** Its slot. */
  scheduled_for: Date;
  /** When the service recorded it. Partitions by day on PostgreSQL. */
  fired_at: Date;
  /** When its command was sent to the agent. */
  dispatched_at: Date | null;
  acked_at: Date | null;
  /** From dispatch to acknowledgement. */
  latency_ms: number | null;
  error_code: string | null;
  error_message: string | null;
  /** Who pressed Run now; null for slots and after the account was deleted. */
  triggered_by_user_id: string | null;
  /** Where its task runs. */
  engine: string;
  /** The task that the agent created. */
  task_id: string | null;
}

/** Keeps fire ids unique across partitions, and leads from an id to its row. */
export interface ScheduleFireIdRow {
  fire_id: string;
  project_id: string;
  schedule_id: string;
  scheduled_for: Date;
  fired_at: Date;
}

/** A fire that waits for an agent. */
export interface PendingFireRow {
  fire_id: string;
  project_id: string;
  schedule_id: string;
  engine: string;
  /** JSON payload of the command schedule.fire. */
  payload: string;
  /** Digest of the definition when it fired. */
  definition_digest: string;
  schedule_revision: number;
  scheduled_for: Date;
  /** Of its row in schedule_fires. */
  fired_at: Date;
  enqueued_at: Date;
  expires_at: Date;
}

/** A slot that was not fired in time, a fire that started late, or one whose task runs too long. */
export interface MisfireAlertRow {
  schedule_id: string;
  expected_fire_at: Date;
  /** missed_slot, late_start or long_run. */
  misfire_kind: string;
  project_id: string;
  detected_at: Date;
  lateness_seconds: number;
  /** The limit that was exceeded. */
  grace_seconds: number;
  /** Name, engine and kind of the schedule at that time. */
  name: string;
  engine: string;
  kind: string;
}

/** Tokens that a scheduler's certificate may still spend on fires. */
export interface SchedulerRateBucketRow {
  /** Common name of the certificate. */
  certificate: string;
  tokens: number;
  refilled_at: Date;
}
