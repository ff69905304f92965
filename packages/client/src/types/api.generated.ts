// Printed from openapi.json by `npm run docs`; a check fails when this file is stale.

/** Something that happened to an account. */
export interface AccountNotice {
  id: string;
  occurred_at: string;
  kind: "api_key.created" | "api_keys.revoked" | "password.changed" | "factor.added" | "factor.removed" | "recovery_codes.regenerated" | "device.trusted" | "sign_in.new_device";
  /** Null unless the owner did it. */
  source_ip: string | null;
  /** Null unless the owner did it. */
  user_agent: string | null;
  details: {
    /** Of the API key or the trusted browser. */
    name?: string;
    /** First characters of the API key. */
    prefix?: string;
    by?: "owner" | "reset_link" | "administrator" | "operator";
    /** The second factor took the place of another one. */
    replaced?: boolean;
    api_keys_revoked?: number;
  };
}

/** One page of activity. */
export interface ActivityPage {
  items: ActivityRow[];
  next_before_cursor: string | null;
  newest_cursor: string | null;
}

/** One row of the audit log, with the slug of its project. */
export interface ActivityRow {
  id: string;
  project_id: string | null;
  user_id: string | null;
  action: string;
  target_type: string;
  target_id: string | null;
  result: string;
  outcome: string | null;
  metadata: Record<string, unknown>;
  /** Null for callers who are not global admins. */
  source_ip: string | null;
  /** UTC with six decimals. */
  occurred_at: string;
  project_slug: string | null;
}

/** An agent: the process that watches engines and carries out commands. */
export interface Agent {
  id: string;
  project_id: string;
  name: string;
  state: AgentState;
  protocol_version: string;
  framework_adapter: string;
  /** Empty also when an agent never connected over WebSocket: then nothing was reported. */
  engine_adapters: string[];
  scheduler_adapters: string[];
  capabilities: Record<string, unknown>;
  last_seen_at: string | null;
  last_connect_at: string | null;
  created_at: string;
  is_outdated: boolean;
  host_name: string | null;
  agent_version: string | null;
  version_status: "current" | "outdated" | "newer_than_known" | "incompatible" | "unknown" | null;
  transport: "ws" | "longpoll" | null;
  metadata: Record<string, unknown>;
}

export interface AgentCreate {
  name: string;
}

/** All agents of a project. */
export interface AgentPage {
  items: Agent[];
}

/** One process that an agent runs in. */
export interface AgentProcess {
  id: string;
  agent_id: string;
  project_id: string;
  worker_id: string | null;
  role: string | null;
  framework: string | null;
  pid: number | null;
  started_at: string | null;
  state: string;
  last_seen_at: string | null;
  last_connect_at: string | null;
  created_at: string;
  updated_at: string;
}

export const agentStates = [
  "online",
  "offline",
  "unknown",
] as const;
export type AgentState = (typeof agentStates)[number];

/** Status samples of an agent, newest first. */
export interface AgentStatusHistory {
  items: AgentStatusSample[];
}

/** What an agent reported about itself at one time. */
export interface AgentStatusSample {
  id: number;
  captured_at: string;
  payload: Record<string, unknown>;
}

/** An API key, without its token. */
export interface ApiKey {
  id: string;
  name: string;
  /** First characters of the token. */
  prefix: string;
  scopes: string[];
  project_id: string | null;
  project_slug: string | null;
  last_used_at: string | null;
  last_used_ip: string | null;
  expires_at: string | null;
  revoked_at: string | null;
  revoked_reason: string | null;
  created_at: string;
  allowed_cidrs: string[] | null;
}

export interface ApiKeyChanges {
  /** IPv4 and IPv6 CIDRs, a bare address is one host; null or none: every address. */
  allowed_cidrs: string[] | null;
}

export interface ApiKeyMint {
  name: string;
  /** Names of GET /api-keys/scopes. */
  scopes: string[];
  /** The only project that the key works in; null or none: all of yours. */
  project_id?: string | null;
  /** Null or none: it does not expire. */
  expires_in_days?: number | null;
  /** IPv4 and IPv6 CIDRs, a bare address is one host; null or none: every address. */
  allowed_cidrs?: string[] | null;
}

/** One page of audit rows. */
export interface AuditPage {
  items: AuditRow[];
  next_cursor: string | null;
}

/** One row of the audit log. */
export interface AuditRow {
  id: string;
  project_id: string | null;
  user_id: string | null;
  action: string;
  target_type: string;
  target_id: string | null;
  result: string;
  outcome: string | null;
  metadata: Record<string, unknown>;
  /** Null for callers who are not global admins. */
  source_ip: string | null;
  /** UTC with six decimals. */
  occurred_at: string;
  event_id: string | null;
  user_agent: string | null;
}

/** The scheduled verification of the rows, as it ended last. */
export interface AuditVerification {
  enabled: boolean;
  last?: {
    finished_at: string;
    outcome: "clean" | "failed" | "error";
    /** Rows found in order. */
    rows?: number;
    row_id?: string;
  };
}

export const bucketWidths = [
  "1m",
  "5m",
  "15m",
  "1h",
  "1d",
] as const;
export type BucketWidth = (typeof bucketWidths)[number];

export interface BulkRetryBody {
  /** The same key with the same body gives the request that exists. */
  idempotency_key: string;
  filter: BulkRetryFilter;
  /** More matches are refused with 422; 1000 by default. */
  max?: number | null;
  /** Default: any agent that can do it, for each task. */
  agent_id?: string | null;
  /** Canary: retry this many tasks first and wait for their outcome. */
  canary_size?: number | null;
  /** With canary_size: block the rest when more of the first fail; 0 by default. */
  canary_max_failures?: number | null;
  /** Tasks sent, evenly spread. */
  rate_per_minute?: number | null;
}

/** One task of a bulk retry. */
export interface BulkRetryChild {
  /** From 0, in the order in which they are sent. */
  ordinal: number;
  engine: string;
  task_id: string;
  /** When it was sealed. */
  task_name: string | null;
  delivery_state: "pending" | "claimed";
  outcome: BulkRetryOutcome;
  error: string | null;
  command_id: string | null;
  agent_id: string | null;
  /** The task that the retry made, where it made one. */
  new_task_id: string | null;
  claimed_at: string | null;
  completed_at: string | null;
}

/** One page of the tasks of a bulk retry. */
export interface BulkRetryChildPage {
  items: BulkRetryChild[];
  next_cursor: string | null;
}

export interface BulkRetryCommandBody {
  agent_id: string;
  filter: {
    /** As the agent names it. */
    engine?: string | null;
    task_ids?: string[] | null;
  };
  /** Retries at most this many different ids, from the start of the list. */
  max: number;
  /** The same key with the same body gives the command that exists. */
  idempotency_key?: string | null;
}

/** How many tasks are in which state. */
export interface BulkRetryCounts {
  /** Tasks. */
  total: number;
  /** Not sent yet. */
  pending: number;
  /** Sent and without an outcome. */
  claimed: number;
  /** Without an outcome, sent or not. */
  unobserved: number;
  /** Retried. */
  succeeded: number;
  /** Not retried. */
  failed: number;
  /** Outcome unknown: sent, but no result arrived; never sent again. */
  unknown: number;
}

/** State is failure unless it is given (or status, which means the same); unknown keys are refused with 400. */
export interface BulkRetryFilter {
  task_ids?: string[] | null;
  /** Required with task_ids. */
  engine?: string | null;
  state?: TaskState | null;
  status?: TaskState | null;
  queue?: string | null;
  /** Literal part of the task name. */
  name?: string | null;
  /** Literal part of name, queue, worker or task id, in any case. */
  search?: string | null;
  /** Not with task_ids. */
  priority?: Priority[] | null;
  since?: string | number | null;
  until?: string | number | null;
}

export const bulkRetryOutcomes = [
  "unobserved",
  "succeeded",
  "failed",
  "unknown",
] as const;
export type BulkRetryOutcome = (typeof bulkRetryOutcomes)[number];

/** One page of bulk retries. */
export interface BulkRetryPage {
  items: BulkRetryRequest[];
  next_cursor: string | null;
}

/** What a bulk retry was created with. */
export interface BulkRetryPlan {
  issued_by: string | null;
  /** With its defaults, without task_ids. */
  filter: {
    state: TaskState;
    engine?: string;
    queue?: string;
    name?: string;
    search?: string;
    priority?: Priority[];
    since?: string;
    until?: string;
  };
  /** How many task_ids the filter has; null without any. */
  named_tasks: number | null;
  max: number;
  max_in_flight: number;
  canary_size: number | null;
  /** Null without a canary. */
  canary_max_failures: number | null;
  rate_per_minute: number | null;
  /** Of the sealed children, in the order in which each engine is sent its own. */
  engines: {
    engine: string;
    tasks: number;
  }[];
}

/** A retry of many tasks that the service carries out one by one. */
export interface BulkRetryRequest {
  id: string;
  status: BulkRetryStatus;
  control_state: "running" | "paused" | "blocked";
  /** SHA-256 of the request with its defaults. */
  canonical_digest: string;
  /** SHA-256 over engine, ordinal and payload of every child. */
  plan_digest: string;
  target_agent_id: string | null;
  counts: BulkRetryCounts;
  created_at: string;
  sealed_at: string;
  deadline_at: string;
  last_progress_at: string | null;
  /** Why it is blocked. */
  blocked_reason: string | null;
}

export const bulkRetryStatuses = [
  "in_progress",
  "paused",
  "blocked",
  "succeeded",
  "failed",
  "partial",
  "indeterminate",
  "no_match",
] as const;
export type BulkRetryStatus = (typeof bulkRetryStatuses)[number];

export const checkStatuses = [
  "ok",
  "degraded",
  "failed",
] as const;
export type CheckStatus = (typeof checkStatuses)[number];

/** A command to an agent, with its status and result. */
export interface Command {
  id: string;
  project_id: string;
  /** User; null for viewers, and for what the service issued itself. */
  issued_by: string | null;
  agent_id: string | null;
  action: CommandAction;
  target_type: string;
  target_id: string | null;
  /** Empty for viewers. */
  payload: Record<string, unknown>;
  idempotency_key: string | null;
  status: CommandStatus;
  /** Null for viewers. */
  result: unknown;
  error: string | null;
  issued_at: string;
  dispatched_at: string | null;
  completed_at: string | null;
  timeout_at: string | null;
  /** Null for viewers. */
  source_ip: string | null;
}

export const commandActions = [
  "retry_task",
  "cancel_task",
  "bulk_retry",
  "purge_queue",
  "requeue_dead_letter",
  "dlq.list",
  "restart_worker",
  "pool_grow",
  "pool_shrink",
  "add_consumer",
  "cancel_consumer",
  "rate_limit",
  "reconcile_task",
  "submit_task",
  "schedule.fire",
  "schedule.enable",
  "schedule.disable",
  "schedule.trigger_now",
  "schedule.trigger_now.via_scheduler",
  "schedule.delete",
  "schedule.resync",
] as const;
export type CommandAction = (typeof commandActions)[number];

/** Commands for the agent; empty when there are none. */
export interface CommandFrames {
  frames: string[];
}

/** One page of commands. */
export interface CommandPage {
  items: Command[];
  next_cursor: string | null;
}

export const commandStatuses = [
  "pending",
  "dispatched",
  "completed",
  "failed",
  "timeout",
  "cancelled",
] as const;
export type CommandStatus = (typeof commandStatuses)[number];

/** The periods in which agents lost records. */
export interface Completeness {
  /** In order of time; counts are of whole gaps, also where one begins before the range. */
  gaps: CompletenessGap[];
  /** Losses before this are no longer known. */
  kept_since: string;
  /** There were more than a thousand losses, of which the newest are shown. */
  is_cut: boolean;
}

/** A period in which an agent lost records. */
export interface CompletenessGap {
  agent_id: string;
  agent_name: string;
  from: string;
  to: string;
  event_records: number;
  other_frames: number;
  reason: "capacity" | "content" | "adapter" | "unknown";
}

/** It was done. */
export interface Confirmation {
  ok: boolean;
}

export interface ConsumerBody {
  agent_id: string;
  worker_name: string;
  /** Needed where the agent serves several engines. */
  engine?: string | null;
  /** The same key with the same body gives the command that exists. */
  idempotency_key?: string | null;
  queue: string;
}

/** A task that its engine has given up on. */
export interface DeadLetter {
  task_id: string;
  task_name: string | null;
  queue: string;
  failed_at: string | null;
  /** The redacted end of the failure text. */
  error_excerpt: string | null;
  attempts: number | null;
}

/** One page of dead letters, as the agent read them for this request. */
export interface DeadLetterPage {
  /** Newest first; empty when the engine reports only the total. */
  entries: DeadLetter[];
  next_cursor: string | null;
  total: number | null;
  engine: string;
  /** The agent that was asked. */
  agent_id: string;
}

/** The results of all checks. */
export interface DeepHealth {
  status: CheckStatus;
  coverage: {
    startup_equivalent: boolean;
    detail: string;
  };
  checks: Record<string, HealthCheck>;
}

/** How many tasks were deleted. */
export interface DeletedTasks {
  deleted_count: number;
}

export interface DeviceRename {
  label: string;
}

/** X. */
export type Durations = {
  name: string;
  engine: string;
  pending_count: number;
  broker_type: string | null;
  last_seen_at: string | null;
}[];

/** A refusal or failure. */
export interface Error {
  /** Code of the error; decide by this. */
  error: string;
  /** For people; may change. */
  message: string;
  details: Record<string, unknown>;
  /** Finds the request in the log. */
  request_id?: string;
  /** Only of some errors, for agents. */
  detail?: string;
}

export const eventKinds = [
  "task.sent",
  "task.received",
  "task.started",
  "task.retried",
  "task.rejected",
  "task.revoked",
  "task.failed",
  "task.succeeded",
  "worker.online",
  "worker.offline",
  "worker.heartbeat",
  "queue.depth_report",
  "schedule.run_started",
  "schedule.run_completed",
  "schedule.created",
  "schedule.updated",
  "schedule.deleted",
  "schedule.snapshot",
  "unknown",
] as const;
export type EventKind = (typeof eventKinds)[number];

/** One page of events. */
export interface EventPage {
  items: TaskEvent[];
  next_cursor: string | null;
}

/** The values of a field with their counts. */
export interface Facet {
  field: FacetField;
  values: {
    value: string;
    /** A lower bound when exact is false. */
    count: number;
    exact: boolean;
  }[];
}

export const facetFields = [
  "state",
  "priority",
  "name",
  "queue",
  "worker",
  "engine",
] as const;
export type FacetField = (typeof facetFields)[number];

/** What was stored and what has to be sent again. */
export interface FrameReceipt {
  /** Frames stored, dropped for good, unparseable, or unsigned handshakes. */
  accepted: number;
  /** Frames to send again. */
  rejected: number;
  errors: string[];
  error_code: null | "scheduler_upgrade_required";
}

/** Signed frames of an agent. */
export interface FrameUpload {
  frames: string[];
}

/** The result of one check. */
export interface HealthCheck {
  status: CheckStatus;
  detail?: string;
  latency_ms?: number;
  revision?: string;
  expected?: string;
  activated?: boolean;
  scope?: string;
  verification?: AuditVerification;
}

/** Something that needs attention. */
export interface HomeAttention {
  kind: "agents_offline" | "failure_rate" | "stuck_commands" | "issue_spike" | "misfires" | "breaker_tripped";
  severity: "critical" | "warning";
  project_id: string;
  project_slug: string;
  project_name: string;
  message: string;
  count: number | null;
  since: string | null;
  /** Of `issue_spike` only: the failures that look alike. */
  issue?: {
    fingerprint: string;
    /** Of its newest failure, the first 2000 characters. */
    sample_exception: string | null;
    sample_task_name: string | null;
  };
}

/** Figures of the last 24 hours. */
export interface HomeFigures {
  /** Tasks that ended in the last 24 h, with any outcome. */
  tasks_24h: number;
  failures_24h: number;
  /** Of those that succeeded or failed. */
  failure_rate_24h: number;
  workers_online: number;
  workers_total: number;
  agents_online: number;
  agents_total: number;
  /** Open for more than half of their time. */
  stuck_commands: number;
}

/** A project with its figures. */
export interface HomeProject {
  id: string;
  slug: string;
  name: string;
  environment: string;
  role: ProjectRole | null;
  /** Tasks that ended in the last 24 h, with any outcome. */
  tasks_24h: number;
  failures_24h: number;
  /** Of those that succeeded or failed. */
  failure_rate_24h: number;
  workers_online: number;
  workers_total: number;
  agents_online: number;
  agents_total: number;
  /** Open for more than half of their time. */
  stuck_commands: number;
  /** Start of the newest minute with stored events, of the hour when it is more than 48 h ago. */
  last_activity_at: string | null;
  health: ProjectHealth;
  /** Tasks that wait in its queues, as last reported. */
  backlog: number;
  /** Tasks that ended in each of the last 24 UTC hours; the last one is the running hour. */
  tasks_by_hour: number[];
}

/** The figures of all projects that the caller sees. */
export interface HomeSummary {
  user: {
    id: string;
    email: string;
    display_name: string | null;
    is_admin: boolean;
  };
  aggregate: HomeFigures;
  projects: HomeProject[];
  /** Critical first. */
  attention: HomeAttention[];
}

/** The effective settings of one process. */
export interface InstanceSettings {
  /** The home directory of the process that answers. */
  svc_home: string;
  settings: SettingRow[];
}

/** An invitation to a project, without its token. */
export interface Invitation {
  id: string;
  project_id: string;
  email: string;
  role: ProjectRole;
  invited_by: string | null;
  expires_at: string;
  accepted_at: string | null;
  revoked_at: string | null;
  created_at: string;
}

export interface InvitationAccept {
  token: string;
  /** For a new account: 1 to 200 characters. */
  display_name?: unknown;
  /** For a new account: 8 to 256 characters. */
  password?: unknown;
}

/** The new membership. */
export interface InvitationAccepted {
  user_id: string;
  project_slug: string;
  role: ProjectRole;
}

export interface InvitationCreate {
  email: string;
  role?: ProjectRole;
  /** Days the invitation works, default 7. */
  ttl_days?: number;
}

/** Invitations that can still be accepted. */
export interface InvitationPage {
  items: Invitation[];
}

/** What an invitation offers. */
export interface InvitationPreview {
  email: string;
  role: ProjectRole;
  project_slug: string;
  project_name: string;
  expires_at: string;
  existing_account: boolean;
}

export interface InvitationToken {
  token: string;
}

/** A new invitation with its token. */
export interface InvitedAnswer {
  invitation: Invitation;
  /** Shown once. */
  token: string;
  /** Path and fragment under SVC_PUBLIC_URL where it is accepted. */
  accept_url_path: string;
  /** Whether the mail server took the mail. */
  email_sent: boolean;
}

/** Failures that look alike. */
export interface Issue {
  fingerprint: string;
  status: "ongoing" | "recovered";
  /** Task rows whose last failure is of this issue and in the range. */
  occurrences: number;
  /** Of them those that are in state failure now. */
  open_count: number;
  recovered_count: number;
  /** There are more: only the newest 1000 to 10 000 task rows were counted, fewer the more issues the page has. */
  is_capped: boolean;
  /** In all that is kept, also before the range. */
  first_seen: string;
  last_seen: string;
  engine_count: number;
  engines: string[];
  /** Of the newest failure, the first 2000 characters. */
  sample_exception: string | null;
  sample_task_name: string | null;
  trend?: number[];
}

/** One page of issues. */
export interface IssuePage {
  items: Issue[];
  next_cursor: string | null;
}

/** The latest known versions of the packages. */
export interface KnownVersions {
  /** Name to latest known version. */
  packages: Record<string, string>;
  schema_version: number;
  generated_at: string | null;
  generated_by: string;
  canonical_url: string | null;
  source: "bundled" | "remote";
  fetched_at: string | null;
  fetched_from: string | null;
  /** Where the check asks; null when it is switched off. */
  check_for_updates_url: string | null;
}

/** Run and wait times over time. */
export interface Latency {
  /** The one that was used. */
  bucket: BucketWidth;
  /** Of all buckets together. */
  total: {
    run: Percentiles | null;
    wait: Percentiles | null;
  };
  series: {
    t: string;
    run: Percentiles | null;
    wait: Percentiles | null;
  }[];
}

/** The process runs. */
export interface Liveness {
  status: "ok";
}

export interface LoginRequest {
  email: string;
  password: string;
  /** Keep the session for 30 days, without an idle limit. */
  remember_me?: boolean;
}

/** The signed-in user and what the session still needs. */
export interface LoginResponse {
  user: UserPublic;
  mfa_required: boolean;
  mfa_enrollment_required: boolean;
  mfa_enrollment_deadline: string | null;
}

/** The account of the caller. */
export interface Me {
  id: string;
  email: string;
  first_name: string | null;
  last_name: string | null;
  display_name: string | null;
  is_admin: boolean;
  timezone: string;
  created_at: string;
  memberships: MembershipSummary[];
  mfa_required: boolean;
  mfa_enrollment_required: boolean;
  mfa_enrollment_deadline: string | null;
  session: SessionLimits;
}

/** A member of a project. */
export interface Member {
  id: string;
  user_id: string;
  project_id: string;
  user_email: string;
  user_display_name: string | null;
  role: ProjectRole;
  created_at: string;
}

export interface MemberAdd {
  user_id: string;
  /** Viewer, operator, admin, auditor. */
  role: string;
}

export interface MemberChanges {
  /** Viewer, operator, admin, auditor. */
  role: string;
}

/** All members of a project. */
export interface MemberPage {
  items: Member[];
}

/** A membership as its user sees it. */
export interface MembershipSummary {
  project_id: string;
  project_slug: string;
  project_name: string;
  role: ProjectRole;
}

export interface MfaCode {
  /** Of the authenticator app, or a recovery code. */
  code: string;
}

export interface MfaDisable {
  password: string;
  /** Of the authenticator app, or a recovery code. */
  code: string;
}

/** The secret for the authenticator app. */
export interface MfaEnrollment {
  secret_base32: string;
  provisioning_url: string;
}

/** The state of the second factor. */
export interface MfaStatus {
  enrolled: boolean;
  enrolled_at: string | null;
  remaining_recovery_codes: number;
  enrollment_required: boolean;
  enrollment_deadline: string | null;
}

/** The session is verified. */
export interface MfaVerified {
  ok: boolean;
  used_recovery_code: boolean;
  remaining_recovery_codes: number;
}

export interface MfaVerify {
  /** Of the authenticator app, or a recovery code. */
  code: string;
  /** Trust this browser, so that it asks for no code. */
  remember_device?: boolean;
}

/** A new agent with its credentials. */
export interface MintedAgent {
  agent: Agent;
  /** The bearer token of the agent; shown only here. */
  token: string;
  /** The key that signs frames; shown only here. */
  hmac_secret: string;
}

/** A new API key with its token. */
export interface MintedKey {
  id: string;
  name: string;
  /** First characters of the token. */
  prefix: string;
  scopes: string[];
  project_id: string | null;
  project_slug: string | null;
  last_used_at: string | null;
  last_used_ip: string | null;
  expires_at: string | null;
  revoked_at: string | null;
  revoked_reason: string | null;
  created_at: string;
  allowed_cidrs: string[] | null;
  /** The bearer; shown only here. */
  token: string;
}

export interface PasswordChange {
  current_password: string;
  new_password: string;
  /** End all API keys of the user as well. */
  revoke_api_keys?: boolean;
}

/** What a new password must meet. */
export interface PasswordPolicy {
  min_length: number;
  max_length: number;
  required_character_classes: number;
  character_class_names: string[];
  exempt_length: number;
}

/** The request was accepted, whether or not the address has an account. */
export interface PasswordResetAccepted {
  accepted: true;
}

export interface PasswordResetConfirm {
  token: string;
  new_password: string;
}

/** The new password is set. */
export interface PasswordResetDone {
  success: true;
}

export interface PasswordResetRequest {
  email: string;
}

export interface PasswordSet {
  new_password: string;
}

/** Milliseconds, within 5 % of the true value. */
export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
  /** Values they are of. */
  count: number;
}

export interface PoolResizeBody {
  agent_id: string;
  worker_name: string;
  /** Needed where the agent serves several engines. */
  engine?: string | null;
  /** The same key with the same body gives the command that exists. */
  idempotency_key?: string | null;
  /** Not 0; negative shrinks the pool. */
  delta: number;
}

export const priorities = [
  "critical",
  "high",
  "normal",
  "low",
] as const;
export type Priority = (typeof priorities)[number];

export interface ProfileChanges {
  first_name?: string | null;
  last_name?: string | null;
  display_name?: string | null;
  timezone?: string;
}

/** A project: the scope of agents, tasks, members and settings. */
export interface Project {
  id: string;
  slug: string;
  name: string;
  description: string | null;
  environment: string;
  timezone: string;
  is_active: boolean;
  automation_enabled: boolean;
  automation_revision: number;
  default_scheduler_owner: string;
  allowed_schedulers: string[] | null;
  settings: Record<string, unknown> | null;
  organization_id: string | null;
  created_at: string;
  updated_at: string;
}

export interface ProjectChanges {
  /** 2 to 63 characters, [a-z0-9](-?[a-z0-9])*. */
  slug?: string;
  name?: string;
  /** Restores an archived project; DELETE archives. */
  is_active?: true;
  description?: string | null;
  environment?: string;
  timezone?: string;
  default_scheduler_owner?: string;
  allowed_schedulers?: string[] | null;
  settings?: Record<string, unknown> | null;
}

export interface ProjectCreate {
  /** 2 to 63 characters, [a-z0-9](-?[a-z0-9])*. */
  slug: string;
  name: string;
  description?: string | null;
  environment?: string;
  timezone?: string;
  default_scheduler_owner?: string;
  allowed_schedulers?: string[] | null;
  settings?: Record<string, unknown> | null;
}

export const projectHealths = [
  "idle",
  "offline",
  "degraded",
  "healthy",
] as const;
export type ProjectHealth = (typeof projectHealths)[number];

export const projectRoles = [
  "viewer",
  "operator",
  "admin",
  "auditor",
] as const;
export type ProjectRole = (typeof projectRoles)[number];

/** Figures of a project. */
export interface ProjectStats {
  tasks_by_state: {
    pending: number;
    received: number;
    started: number;
    success: number;
    failure: number;
    retry: number;
    revoked: number;
    rejected: number;
    unknown: number;
  };
  tasks_total: number;
  tasks_failed_24h: number;
  tasks_succeeded_24h: number;
  failure_rate_24h: number;
  agents_online: number;
  agents_offline: number;
  workers_online: number;
  workers_offline: number;
  /** Now, whenever they were issued. */
  commands_pending: number;
  /** Now, whenever they were issued. */
  commands_dispatched: number;
  commands_completed_24h: number;
  commands_failed_24h: number;
  commands_timeout_24h: number;
  queue_depths: Durations;
  system_health: {
    status: "healthy" | "degraded" | "critical";
    agents_all_online: boolean;
    queue_depth_ok: boolean;
    failure_rate_ok: boolean;
    brain_db_ok: boolean;
  };
}

export interface PurgeQueueBody {
  agent_id: string;
  queue: string;
  /** Computed by the caller instead of observed_depth. */
  confirm_token?: string | null;
  /** The depth that was shown. */
  observed_depth?: number | null;
  /** Purge whatever the depth is. */
  force?: boolean | null;
  /** Needed where the agent serves several engines. */
  engine?: string | null;
  /** The same key with the same body gives the command that exists. */
  idempotency_key?: string | null;
}

/** A named line of waiting tasks in an engine. */
export interface Queue {
  id: string;
  project_id: string;
  name: string;
  engine: string;
  broker_type: string | null;
  /** Where the broker is, without credentials. */
  broker_url_hint: string | null;
  last_seen_at: string | null;
  pending_count: number;
  consumer_count: number;
  oldest_waiting_since: string | null;
  /** When pending_count was reported; null when it never was. */
  depth_reported_at: string | null;
  /** When consumer_count was reported; null when it never was. */
  consumers_reported_at: string | null;
  metadata: Record<string, unknown>;
  created_at: string;
}

/** What entered and left the queues within the asked minutes. */
export interface QueueActivities {
  from: string;
  to: string;
  /** Width of a step of `pending`, whose first one holds `from`. */
  step_seconds: number;
  /** More queues exist than are shown. */
  truncated: boolean;
  items: QueueActivity[];
}

/** What entered and left one queue. */
export interface QueueActivity {
  queue_id: string;
  engine: string;
  name: string;
  /** Tasks that were sent. */
  entered: number;
  /** Runs that began. */
  started: number;
  /** Tasks that succeeded, failed, were revoked or rejected. */
  ended: number;
  failed: number;
  /** Greatest depth per step; null where none was reported. */
  pending: (number | null)[];
}

/** The depths of a queue over time. */
export interface QueueDepths {
  from: string;
  to: string;
  /** Nothing older is kept. */
  kept_from: string;
  step_seconds: number;
  /** Steps in which depths were reported, oldest first. */
  series: {
    t: string;
    /** The greatest that was reported in the step. */
    pending: number;
    /** As last reported in it. */
    consumers: number;
  }[];
}

/** One page of queues. */
export interface QueuePage {
  items: Queue[];
  next_cursor: string | null;
}

export interface RateLimitBody {
  agent_id: string;
  task_name: string;
  /** Runs per second, or per the unit of /s, /m or /h; 0 takes the limit away. */
  rate: number | string;
  /** Without it the limit may reach no worker. */
  worker_name?: string | null;
  /** Needed where the agent serves several engines. */
  engine?: string | null;
  /** The same key with the same body gives the command that exists. */
  idempotency_key?: string | null;
}

/** The service is ready. */
export interface Readiness {
  status: "ready";
}

/** A failed task of some project. */
export interface RecentFailure {
  id: string;
  occurred_at: string;
  project_id: string;
  project_slug: string;
  project_name: string;
  engine: string;
  task_id: string;
  task_name: string | null;
  worker: string | null;
  /** The first 2000 characters. */
  exception: string | null;
  priority: string;
}

/** One page of failures. */
export interface RecentFailurePage {
  items: RecentFailure[];
  next_cursor: string | null;
}

/** New recovery codes, shown only here. */
export interface RecoveryCodes {
  recovery_codes: string[];
}

/** A release and the time of its first event. */
export interface ReleaseMark {
  release: string;
  first_seen: string;
}

/** Releases first seen in the range. */
export interface ReleasePage {
  /** In order of time, the newest 200 of them. */
  items: ReleaseMark[];
}

export interface RestartWorkerBody {
  agent_id: string;
  worker_name: string;
  /** Needed where the agent serves several engines. */
  engine?: string | null;
  /** The same key with the same body gives the command that exists. */
  idempotency_key?: string | null;
}

export interface RetryTaskBody {
  /** Default: the agent that reported the task last, when it can do it. */
  agent_id?: string | null;
  /** As the agent names it. */
  engine: string;
  /** The engine's id of the task, or the id of its row. */
  task_id: string;
  /** The same key with the same body gives the command that exists. */
  idempotency_key?: string | null;
  /** With override_kwargs; at most 64 KiB as JSON. */
  override_args?: unknown[] | null;
  /** With override_args. */
  override_kwargs?: Record<string, unknown> | null;
  /** Seconds from now. */
  eta_seconds?: number | null;
}

/** How many were ended. */
export interface RevokedCount {
  revoked: number;
}

/** Whether the session was ended by this request. */
export interface RevokedOne {
  revoked: boolean;
}

/** Filters of the task list under a name. */
export interface SavedView {
  id: string;
  name: string;
  filters: SavedViewFilters;
  created_at: string;
  updated_at: string;
}

export interface SavedViewBody {
  /** 1 to 80 characters once trimmed. */
  name: string;
  filters: {
    state?: TaskState | null;
    priority?: Priority[] | null;
    search?: string | null;
    queue?: string | null;
    name?: string | null;
    worker?: string | null;
    engine?: string | null;
    q?: string | null;
  };
}

/** What the view filters by. Members that do not restrict are absent. */
export interface SavedViewFilters {
  state?: TaskState;
  priority?: Priority[];
  search?: string;
  queue?: string;
  name?: string;
  worker?: string;
  engine?: string;
  q?: string;
}

/** All saved views of the caller in the project. */
export interface SavedViewPage {
  items: SavedView[];
}

/** The scopes that API keys can have. */
export interface ScopeCatalogue {
  scopes: string[];
  admin_only: string[];
}

/** One page of security events. */
export interface SecurityHistoryPage {
  items: AccountNotice[];
  next_cursor: string | null;
}

/** When the session ends. */
export interface SessionLimits {
  /** When it ends unless it is used before; null for a remembered session, which has no idle limit. */
  idle_expires_at: string | null;
  /** When it ends, even when it is in use. */
  expires_at: string;
}

/** One setting. */
export interface SettingRow {
  name: string;
  /** Lists and objects as JSON, an absent value as an empty text, secrets as ***. */
  value: string;
  /** A file path, environment, default or unset. */
  source: string;
  is_secret: boolean;
  description: string;
}

/** The first administrator and the first project. */
export interface SetupDone {
  user: UserPublic;
  project_id: string;
}

export interface SetupRequest {
  token: string;
  email: string;
  display_name?: string | null;
  password: string;
}

/** Whether the setup is open. */
export interface SetupStatus {
  first_boot: boolean;
}

/** Task names by the 95th percentile of their run times, greatest first. */
export interface SlowestNames {
  /** Start of the first whole minute, hour or day that is counted. */
  since: string;
  until: string;
  /** The range before it goes from here to `since`. */
  previous_since: string;
  items: {
    name: string;
    run: Percentiles;
    failed: number;
    previous: Percentiles | null;
  }[];
}

/** Exactly one of them. */
export interface StepUp {
  password?: string;
  /** Of the authenticator app, or a recovery code. */
  code?: string;
}

/** Versions of the service and what it runs on. */
export interface SystemFacts {
  svc_version: string;
  runtime: string;
  runtime_version: string;
  os: string;
  architecture: string;
  pid: number;
  database_type: string;
  database_version: string;
  database_size_mb?: number;
  packages: Record<string, string>;
}

/** One job of an engine. */
export interface Task {
  id: string;
  project_id: string;
  /** Name of the engine. */
  engine: string;
  /** Id that the engine gave the task. */
  task_id: string;
  name: string;
  queue: string | null;
  state: TaskState;
  priority: Priority;
  args: unknown[];
  kwargs: Record<string, unknown>;
  result: unknown;
  exception: string | null;
  traceback: string | null;
  retry_count: number;
  /** Attempts before this one. */
  attempt: number;
  max_attempts: number | null;
  /** It does not start before this time. */
  eta: string | null;
  received_at: string;
  started_at: string | null;
  finished_at: string | null;
  runtime_ms: number | null;
  /** From received to started. */
  wait_ms: number | null;
  worker_name: string | null;
  parent_task_id: string | null;
  root_task_id: string | null;
  tags: string[];
  release: string | null;
  traceparent: string | null;
  /** Of its last failure, also when it was retried since. */
  fingerprint: string | null;
  /** task_id of the task that this one retries. */
  retry_of: string | null;
  /** task_id of the retry of this task. */
  retried_as: string | null;
  created_at: string;
  updated_at: string;
}

/** One cause with its evidence. */
export interface TaskCause {
  code: TaskCauseCode;
  /** One or two sentences; which ones may change from version to version. */
  message: string;
  /** What is known, by members of each code. */
  evidence: Record<string, unknown>;
  since?: string;
}

export const taskCauseCodes = [
  "no_consumer",
  "queue_paused",
  "rate_limited",
  "eta_ahead",
  "prefetched",
  "worker_silent",
  "agent_offline",
  "schedule_disabled",
  "events_lost",
  "running_long",
  "finished",
  "unknown",
] as const;
export type TaskCauseCode = (typeof taskCauseCodes)[number];

export interface TaskCommandBody {
  /** Default: the agent that reported the task last, when it can do it. */
  agent_id?: string | null;
  /** As the agent names it. */
  engine: string;
  /** The engine's id of the task, or the id of its row. */
  task_id: string;
  /** The same key with the same body gives the command that exists. */
  idempotency_key?: string | null;
}

export interface TaskDelete {
  task_ids?: string[] | null;
  filter_state?: TaskState | null;
  filter_priority?: Priority[] | null;
  filter_search?: string | null;
  filter_name?: string | null;
  filter_queue?: string | null;
  filter_worker?: string | null;
  filter_since?: string | null;
  filter_until?: string | null;
}

/** What failed tasks have in common that passed ones of the same name do not. */
export interface TaskDifferences {
  /** Failed tasks that were compared, 2000 at most. */
  failed: number;
  /** Passed tasks of the same name that were compared, 2000 at most. */
  passed: number;
  /** Whether there are more of either; then they are spread over the range as all of them are. */
  sampled: boolean;
  /** Shares that differ by 20 points, of at least 5 failed tasks; the greatest difference first, 10 at most. */
  attributes: {
    /** Worker, queue, priority, release, hour (of received_at, UTC), args.… or kwargs.… */
    field: string;
    value: string;
    /** Of the failed tasks that have it. */
    failed_share: number;
    /** Of the passed tasks that have it. */
    passed_share: number;
  }[];
}

/** One step in the life of a task or a worker, as an agent reported it. */
export interface TaskEvent {
  id: string;
  project_id: string;
  agent_id: string;
  engine: string;
  /** Empty when the event concerns no task. */
  task_id: string;
  kind: EventKind;
  occurred_at: string;
  payload: Record<string, unknown>;
}

/** The likely causes why a task is not running. */
export interface TaskExplanation {
  state: TaskState;
  /** The most likely first. */
  causes: TaskCause[];
}

/** Counts of tasks over time. */
export interface TaskHistogram {
  /** Start of the first bucket, at or before since. */
  from: string;
  to: string;
  /** False when the time was used up; buckets that begin before reached hold too little. */
  exact: boolean;
  reached: string | null;
  /** Events: ends and retries at the time they happened; tasks: present states, by received_at. */
  counted: "events" | "tasks";
  bucket_seconds: number;
  buckets: {
    t: string;
    success: number;
    failure: number;
    other: number;
  }[];
}

/** One page of tasks. */
export interface TaskPage {
  items: Task[];
  next_cursor: string | null;
  /** Null unless asked for, and when counting takes too long. */
  total_count: number | null;
  /** The search ran out of time: it covered everything down to reached, and cursor continues from there. */
  partial?: {
    reached: string;
    cursor: string;
  };
}

export const taskStates = [
  "pending",
  "received",
  "started",
  "success",
  "failure",
  "retry",
  "revoked",
  "rejected",
  "unknown",
] as const;
export type TaskState = (typeof taskStates)[number];

/** All tasks with the same root. */
export interface TaskTree {
  root_task_id: string;
  node_count: number;
  truncated: boolean;
  nodes: TaskTreeNode[];
}

/** One task of a tree. */
export interface TaskTreeNode {
  engine: string;
  task_id: string;
  name: string;
  state: TaskState;
  parent_task_id: string | null;
  root_task_id: string | null;
  received_at: string | null;
  started_at: string | null;
  finished_at: string | null;
}

/** The outcomes of one part of the range. */
export interface TrendBucket {
  t: string;
  success: number;
  failure: number;
  retry: number;
  revoked: number;
  /** Success, failure, retry and revoked together. */
  total: number;
  avg_runtime_ms: number | null;
}

/** Outcomes of tasks over time. */
export interface Trends {
  /** The asked window, or `custom` for since and until. */
  window: string;
  /** The one that was used. */
  bucket: BucketWidth;
  series: TrendBucket[];
}

export interface TrustDevice {
  label?: string;
}

/** A browser that does not ask for a code. */
export interface TrustedDevice {
  id: string;
  label: string;
  created_at: string;
  last_seen_at: string;
  expires_at: string;
  revoked_at: string | null;
  is_current: boolean;
}

/** All trusted devices of the user. */
export interface TrustedDevicePage {
  items: TrustedDevice[];
}

/** The service is not ready. */
export interface Unreadiness {
  /** Code of the error; decide by this. */
  error: string;
  /** For people; may change. */
  message: string;
  details: Record<string, unknown>;
  /** Finds the request in the log. */
  request_id?: string;
  /** Only of some errors, for agents. */
  detail?: string;
  status: "unready";
  reason: "starting" | "database" | "write_probe_failed" | "write_probe_stale";
}

/** A user as administrators see one. */
export interface UserAdminPublic {
  id: string;
  email: string;
  first_name: string | null;
  last_name: string | null;
  display_name: string | null;
  is_admin: boolean;
  timezone: string;
  created_at: string;
  is_active: boolean;
  updated_at: string;
  last_login_at: string | null;
}

export interface UserChanges {
  first_name?: string | null;
  last_name?: string | null;
  display_name?: string | null;
  timezone?: string;
  is_admin?: boolean;
  is_active?: boolean;
}

export interface UserCreate {
  email: string;
  password: string;
  first_name?: string | null;
  last_name?: string | null;
  display_name?: string | null;
  timezone?: string;
  is_admin?: boolean;
}

/** A user. */
export interface UserPublic {
  id: string;
  email: string;
  first_name: string | null;
  last_name: string | null;
  display_name: string | null;
  is_admin: boolean;
  timezone: string;
  created_at: string;
}

/** One session of a user. */
export interface UserSession {
  id: string;
  issued_at: string;
  last_seen_at: string;
  expires_at: string;
  ip_at_issue: string | null;
  user_agent_at_issue: string | null;
  is_current: boolean;
}

/** All sessions of the caller. */
export interface UserSessionPage {
  items: UserSession[];
}

/** A worker of an engine. */
export interface Worker {
  id: string;
  project_id: string;
  engine: string;
  name: string;
  hostname: string | null;
  pid: number | null;
  concurrency: number | null;
  queues: string[];
  state: "online" | "offline" | "draining" | "unknown";
  /** When the worker itself last said that it is online or offline; null when it never did. */
  state_reported_at: string | null;
  last_heartbeat: string | null;
  load_average: number | null;
  memory_bytes: number | null;
  active_tasks: number;
  /** Tasks ended in the last 24 h, by whole UTC hours and the running one. */
  processed: number;
  failed: number;
  succeeded: number;
  retried: number;
  created_at: string;
}

/** A worker with what its engine reported about it. */
export interface WorkerDetail {
  id: string;
  project_id: string;
  engine: string;
  name: string;
  hostname: string | null;
  pid: number | null;
  concurrency: number | null;
  queues: string[];
  state: "online" | "offline" | "draining" | "unknown";
  /** When the worker itself last said that it is online or offline; null when it never did. */
  state_reported_at: string | null;
  last_heartbeat: string | null;
  load_average: number | null;
  memory_bytes: number | null;
  active_tasks: number;
  /** Tasks ended in the last 24 h, by whole UTC hours and the running one. */
  processed: number;
  failed: number;
  succeeded: number;
  retried: number;
  created_at: string;
  metadata: Record<string, unknown>;
}

/** One page of workers. */
export interface WorkerPage {
  items: Worker[];
  next_cursor: string | null;
}

export interface ListActivityQuery {
  /** 1 to 200, default 50; 0 or less means the default, more is clamped. */
  limit?: number;
  /** Only rows newer than this `<iso>|<id>`. */
  since_cursor?: string;
  /** Only rows older than this `<iso>|<id>`. */
  before_cursor?: string;
  /** Only rows of this project; an unknown one gives an empty page. */
  project_slug?: string;
  /** Literal beginning of the action. */
  action_prefix?: string;
}

export interface PollCommandsQuery {
  /** Seconds to wait for a command. */
  wait?: number;
  /** 0 with wait=0 is the connect probe. */
  max_frames?: number;
}

export interface GetSecurityHistoryQuery {
  /** next_cursor of the previous page. */
  cursor?: string;
  /** Page size; absent, 0 or less means the default, more is clamped. */
  limit?: number;
}

export interface ListRecentFailuresQuery {
  /** Default 50. */
  limit?: number;
  /** next_cursor of the previous page. */
  cursor?: string;
}

export interface ListProjectsQuery {
  /** List archived projects too. */
  include_archived?: boolean;
}

export interface ListAgentProcessesQuery {
  /** Only processes in this state. */
  state?: string;
  /** Only processes with this role. */
  role?: string;
  /** Most rows. */
  limit?: number;
}

export interface ListAuditQuery {
  /** next_cursor of the previous page. */
  cursor?: string;
  /** Page size; absent, 0 or less means the default, more is clamped. */
  limit?: number;
  /** Literal beginning of the action. */
  action_prefix?: string;
  /** Only rows with this outcome, such as allow or deny. */
  outcome?: string;
  /** Only rows of this user. */
  user_id?: string;
  /** What was acted on, such as a command. */
  target_id?: string;
  /** Start of the range. */
  since?: string;
  /** End of the range. */
  until?: string;
  /** Export all matching rows instead of a page. */
  format?: "csv" | "json" | "xlsx";
  /** Columns of an export, by comma. */
  fields?: string;
}

export interface ListBulkRetriesQuery {
  /** next_cursor of the previous page. */
  cursor?: string;
  /** Page size; absent, 0 or less means the default, more is clamped. */
  limit?: number;
  /** Only the one that sent this command. */
  command_id?: string;
}

export interface ListBulkRetryChildrenQuery {
  /** next_cursor of the previous page. */
  cursor?: string;
  /** Page size; absent, 0 or less means the default, more is clamped. */
  limit?: number;
  /** Only tasks with this outcome. */
  outcome?: BulkRetryOutcome;
}

export interface ListCommandsQuery {
  /** next_cursor of the previous page. */
  cursor?: string;
  /** Page size; absent, 0 or less means the default, more is clamped. */
  limit?: number;
  /** Only commands with this status; any other text lists all. */
  status?: string;
  /** Only commands of this agent. */
  agent_id?: string;
  /** Only commands with this action. */
  action?: string;
}

export interface GetCompletenessQuery {
  /** Start of the range. */
  since?: string;
  /** End of the range. */
  until?: string;
}

export interface ListDeadLettersQuery {
  /** As an online agent names it. */
  engine: string;
  /** Absent or empty: every queue that the engine's adapter knows. */
  queue?: string;
  /** Default 100. */
  limit?: number;
  /** next_cursor of the previous page; only the agent of that page knows it, so it goes with its agent_id. */
  cursor?: string;
  /** The agent to ask; absent: the one seen last of those that can tell. */
  agent_id?: string;
}

export interface ListEventsQuery {
  /** next_cursor of the previous page. */
  cursor?: string;
  /** Page size; absent, 0 or less means the default, more is clamped. */
  limit?: number;
  /** Only events of this engine. */
  engine?: string;
  /** Only events of this task. */
  task_id?: string;
  /** Only events of this kind. */
  kind?: EventKind;
  /** Start of the range. */
  since?: string;
  /** End of the range. */
  until?: string;
}

export interface GetFacetQuery {
  /** The field whose values are counted. */
  field: FacetField;
  /** Literal beginning of the values, with case; for completing what is typed. */
  prefix?: string;
  /** Values, the greatest first; default 20. */
  limit?: number;
  /** Only tasks in this state. */
  state?: TaskState;
  /** Comma-separated priorities. */
  priority?: string;
  /** Literal substring of the task name. */
  name?: string;
  /** Literal substring, without case, of name, queue, worker or task id. */
  search?: string;
  /** Exact queue name. */
  queue?: string;
  /** Exact worker name. */
  worker?: string;
  /** Start of the range. */
  since?: string;
  /** End of the range. */
  until?: string;
  /** Query language, such as `state:failure args.user.id:123 -queue:mail runtime:>30s "timed out"`; every term must hold, beside all other parameters. */
  q?: string;
}

export interface ListIssuesQuery {
  /** Only failures of this engine. */
  engine?: string;
  /** Ongoing: some task of it is in state failure; otherwise recovered. */
  status?: "ongoing" | "recovered";
  /** Only this issue. */
  fingerprint?: string;
  /** Failures of the last hours; since and until replace it. */
  hours?: number;
  /** Start of the range. */
  since?: string;
  /** End of the range. */
  until?: string;
  /** Adds the failures of 24 equal parts of the range, by default of the last 24 h. */
  trend?: boolean;
  /** next_cursor of the previous page. */
  cursor?: string;
  /** Default 50. */
  limit?: number;
}

export interface GetLatencyQuery {
  /** 1h at least where the range begins more than 48 h ago, because older counts are kept by the hour. */
  bucket?: BucketWidth;
  /** Exact task name. */
  name?: string;
  /** Exact queue name. */
  queue?: string;
  /** Start of the range. */
  since?: string;
  /** End of the range. */
  until?: string;
}

export interface ListSlowestNamesQuery {
  /** Most names; default 8. */
  limit?: number;
  /** Start of the range. */
  since?: string;
  /** End of the range. */
  until?: string;
}

export interface ListQueuesQuery {
  /** next_cursor of the previous page. */
  cursor?: string;
  /** Page size; absent, 0 or less means the default, more is clamped. */
  limit?: number;
}

export interface GetQueueDepthsQuery {
  /** Start of the range. */
  since?: string;
  /** End of the range. */
  until?: string;
}

export interface GetQueueActivityQuery {
  /** How far back, by whole UTC minutes. */
  minutes?: number;
  /** Only queues of this engine. */
  engine?: string;
  /** Only the queue of this name. */
  name?: string;
}

export interface ListReleasesQuery {
  /** Start of the range. */
  since?: string;
  /** End of the range. */
  until?: string;
}

export interface GetStatsQuery {
  /** Default 24; since and until replace it. Counts of more than 48 h ago are kept by the UTC hour, and the first and the last one are counted whole. */
  hours?: number;
  /** Start of the range. */
  since?: string;
  /** End of the range. */
  until?: string;
}

export interface ListTasksQuery {
  /** Only tasks in this state. */
  state?: TaskState;
  /** Comma-separated priorities. */
  priority?: string;
  /** Literal substring of the task name. */
  name?: string;
  /** Literal substring, without case, of name, queue, worker or task id. */
  search?: string;
  /** Exact queue name. */
  queue?: string;
  /** Exact worker name. */
  worker?: string;
  /** Start of the range. */
  since?: string;
  /** End of the range. */
  until?: string;
  /** Query language, such as `state:failure args.user.id:123 -queue:mail runtime:>30s "timed out"`; every term must hold, beside all other parameters. */
  q?: string;
  /** next_cursor of the previous page; ignored by exports. */
  cursor?: string;
  /** Page size; more than the configured maximum is clamped. */
  limit?: number;
  /** Adds total_count, one exact count more; ignored by exports. */
  include_total?: boolean;
  /** Export all matching tasks instead of a page. */
  format?: "csv" | "xlsx" | "json";
  /** Comma-separated columns of an export. */
  fields?: string;
}

export interface GetTaskDifferencesQuery {
  /** Exact task name; or fingerprint. */
  name?: string;
  /** Of failures; or name. */
  fingerprint?: string;
  /** Start of the range. */
  since?: string;
  /** End of the range. */
  until?: string;
}

export interface GetTaskHistogramQuery {
  /** Only tasks in this state. */
  state?: TaskState;
  /** Comma-separated priorities. */
  priority?: string;
  /** Literal substring of the task name. */
  name?: string;
  /** Literal substring, without case, of name, queue, worker or task id. */
  search?: string;
  /** Exact queue name. */
  queue?: string;
  /** Exact worker name. */
  worker?: string;
  /** Start of the range. */
  since?: string;
  /** End of the range. */
  until?: string;
  /** Query language, such as `state:failure args.user.id:123 -queue:mail runtime:>30s "timed out"`; every term must hold, beside all other parameters. */
  q?: string;
  /** Maximum number of parts; default 60. */
  buckets?: number;
}

export interface GetTrendsQuery {
  /** Length of the range up to now; since and until replace it. */
  window?: "1h" | "6h" | "24h" | "72h" | "7d";
  /** 1h at least where the range begins more than 48 h ago, because older counts are kept by the hour. */
  bucket?: BucketWidth;
  /** Start of the range. */
  since?: string;
  /** End of the range. */
  until?: string;
}

export interface ListWorkersQuery {
  /** next_cursor of the previous page. */
  cursor?: string;
  /** Page size; absent, 0 or less means the default, more is clamped. */
  limit?: number;
}

export interface ListUsersQuery {
  /** Page size, default 100; 0, less, or more than 500 means 100. */
  limit?: number;
  /** Rows to skip, default 0; less means 0. */
  offset?: number;
}
