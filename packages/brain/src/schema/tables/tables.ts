import type { Kysely } from "kysely";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type {
  AccountNoticeRow,
  ApiKeyRow,
  FirstBootTokenRow,
  InvitationRow,
  KnownDeviceRow,
  MembershipRow,
  MetaRow,
  PasswordResetTokenRow,
  ProjectRow,
  RecoveryCodeRow,
  SavedViewRow,
  SessionRow,
  TrustedDeviceRow,
  UserRow,
} from "./access.ts";
import type {
  AgentRow,
  AgentStatusRow,
  AgentWorkerRow,
  LossIntervalRow,
  LossMarkRow,
  QueueDepthRow,
  QueueRow,
  WorkerRow,
} from "./agents.ts";
import type { AuditChainStateRow, AuditLogRow } from "./audit.ts";
import type {
  BulkRetryChildRow,
  BulkRetryEffectiveRequestRow,
  BulkRetryMatchRow,
  BulkRetryRequestRow,
} from "./bulk-retries.ts";
import type { CommandRow, CommandTaskRow } from "./commands.ts";
import type {
  ExternalControlOperationRow,
  MisfireAlertRow,
  PendingFireRow,
  ScheduleChangeRow,
  ScheduleControlRow,
  ScheduleFireIdRow,
  ScheduleFireRow,
  ScheduleRow,
  SchedulerRateBucketRow,
  ScheduleSkipRow,
  ScheduleSnapshotPartRow,
  ScheduleStreamRow,
  ScheduleTombstoneRow,
} from "./schedules.ts";
import type {
  CounterDeltaRow,
  EventRow,
  NameRollupRow,
  ReleaseRow,
  RollupNameRow,
  RollupRow,
  TaskCountRow,
  TaskIdSearchRow,
  TaskLinkRow,
  TaskRow,
  TaskSearchMarkRow,
  TaskSearchRow,
  TaskTermRow,
  WorkerRollupRow,
} from "./tasks.ts";

/** Every table, by name. Both databases have the same tables except for search. docs/internals/schema.md is generated from this file and its row types. */
export interface Tables {
  meta: MetaRow;
  users: UserRow;
  sessions: SessionRow;
  mfa_recovery_codes: RecoveryCodeRow;
  trusted_devices: TrustedDeviceRow;
  account_notices: AccountNoticeRow;
  known_devices: KnownDeviceRow;
  password_reset_tokens: PasswordResetTokenRow;
  api_keys: ApiKeyRow;
  invitations: InvitationRow;
  first_boot_tokens: FirstBootTokenRow;
  projects: ProjectRow;
  memberships: MembershipRow;
  saved_views: SavedViewRow;
  agents: AgentRow;
  agent_workers: AgentWorkerRow;
  agent_status_history: AgentStatusRow;
  loss_marks: LossMarkRow;
  loss_intervals: LossIntervalRow;
  workers: WorkerRow;
  queues: QueueRow;
  queue_depths: QueueDepthRow;
  events: EventRow;
  tasks: TaskRow;
  task_search: TaskSearchRow;
  task_id_search: TaskIdSearchRow;
  task_search_mark: TaskSearchMarkRow;
  task_terms: TaskTermRow;
  task_links: TaskLinkRow;
  counter_deltas: CounterDeltaRow;
  rollups: RollupRow;
  rollup_names: RollupNameRow;
  name_rollups: NameRollupRow;
  worker_rollups: WorkerRollupRow;
  releases: ReleaseRow;
  task_counts: TaskCountRow;
  commands: CommandRow;
  command_tasks: CommandTaskRow;
  bulk_retry_requests: BulkRetryRequestRow;
  bulk_retry_effective_requests: BulkRetryEffectiveRequestRow;
  bulk_retry_matches: BulkRetryMatchRow;
  bulk_retry_children: BulkRetryChildRow;
  schedules: ScheduleRow;
  schedule_control: ScheduleControlRow;
  schedule_changes: ScheduleChangeRow;
  schedule_skips: ScheduleSkipRow;
  scheduler_rate_buckets: SchedulerRateBucketRow;
  schedule_streams: ScheduleStreamRow;
  schedule_tombstones: ScheduleTombstoneRow;
  schedule_snapshot_parts: ScheduleSnapshotPartRow;
  external_control_operations: ExternalControlOperationRow;
  schedule_fires: ScheduleFireRow;
  schedule_fire_ids: ScheduleFireIdRow;
  pending_fires: PendingFireRow;
  misfire_alerts: MisfireAlertRow;
  audit_log: AuditLogRow;
  audit_chain_state: AuditChainStateRow;
}

/** Where statements run: the reads of one connection, or a transaction. */
export type Db = Kysely<Tables>;

/** The open database. */
export type BrainDatabase = Database<Tables>;

/** What every feature works with. */
export interface Core {
  readonly database: BrainDatabase;
  readonly clock: Clock;
}
