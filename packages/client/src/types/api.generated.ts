// Generated from openapi.json by `npm run docs`; a check fails when this file is stale.

/** A security event of an account. */
export interface AccountNotice {
  /** Id of the entry. */
  id: string;
  /** When it happened. */
  occurred_at: string;
  /** What happened. */
  kind: "api_key.created" | "api_keys.revoked" | "password.changed" | "factor.added" | "factor.removed" | "recovery_codes.regenerated" | "device.trusted" | "sign_in.new_device";
  /** Null unless the owner was the actor. */
  source_ip: string | null;
  /** Null unless the owner was the actor. */
  user_agent: string | null;
  /** Details, which depend on the kind. */
  details: {
    /** Name of the API key or the trusted browser. */
    name?: string;
    /** First characters of the API key. */
    prefix?: string;
    /** The actor. */
    by?: "owner" | "reset_link" | "administrator" | "operator";
    /** Whether the second factor replaced an earlier one. */
    replaced?: boolean;
    /** Number of API keys revoked at the same time. */
    api_keys_revoked?: number;
  };
}

/** One page of activity. */
export interface ActivityPage {
  items: ActivityRow[];
  /** Pass it as `before_cursor` to get older rows; null on the last page. */
  next_before_cursor: string | null;
  /** Pass it as `since_cursor` to get newer rows; null without rows. */
  newest_cursor: string | null;
}

/** One row of the audit log, with the slug of its project. */
export interface ActivityRow {
  /** Id of the row. */
  id: string;
  /** Project of the action; null for the instance. */
  project_id: string | null;
  /** Who acted; null for other actors and deleted accounts. */
  user_id: string | null;
  /** The action, such as `agent.token.minted`. */
  action: string;
  /** Type of the target, such as agent. */
  target_type: string;
  /** Id of the target; null without one. */
  target_id: string | null;
  /** Success, or how it failed. */
  result: string;
  /** Allow or deny, or another short word for the outcome; null without one. */
  outcome: string | null;
  /** Further details, which depend on the action. */
  metadata: Record<string, unknown>;
  /** Null for callers who are not instance administrators. */
  source_ip: string | null;
  /** UTC with six decimals. */
  occurred_at: string;
  /** Slug of the project; null without one. */
  project_slug: string | null;
}

/** An agent: the process that watches engines and carries out commands. */
export interface Agent {
  /** Id of the agent. */
  id: string;
  /** Project that it belongs to. */
  project_id: string;
  /** Name given when it was created; unique in the project. */
  name: string;
  state: AgentState;
  /** Version of the wire protocol that it reported; empty when not reported. */
  protocol_version: string;
  /** How it runs, such as `side-car`, as it reported; empty when not reported. */
  framework_adapter: string;
  /** Empty when not reported, as for an agent that never connected over WebSocket. */
  engine_adapters: string[];
  /** Schedulers that it can control; empty when not reported. */
  scheduler_adapters: string[];
  /** Capability tokens, such as `retry_task`, by engine; empty when not reported. */
  capabilities: Record<string, unknown>;
  /** When it last sent frames; null if never. */
  last_seen_at: string | null;
  /** When it last connected or polled; null if never. */
  last_connect_at: string | null;
  /** When it was created. */
  created_at: string;
  /** Whether version_status is outdated or incompatible. */
  is_outdated: boolean;
  /** Name of its machine; null when not reported. */
  host_name: string | null;
  /** Version of its software; null when not reported. */
  agent_version: string | null;
  /** Its version compared with that of the service; null when not reported. */
  version_status: "current" | "outdated" | "newer_than_known" | "incompatible" | "unknown" | null;
  /** How it last connected: WebSocket or long-poll; null if never. */
  transport: "ws" | "longpoll" | null;
  /** `host`: facts of its machine, as it reported. */
  metadata: Record<string, unknown>;
}

export interface AgentCreate {
  /** Unique in the project. */
  name: string;
}

/** Version, digest and size of the agent file. */
export interface AgentManifest {
  /** Version of the agent. */
  version: string;
  /** SHA-256 of the file, in hex. */
  sha256: string;
  /** Size of the file. */
  bytes: number;
  /** Versions of Node that can run the file, such as `>=22.16`. */
  node: string;
}

/** All agents of a project. */
export interface AgentPage {
  items: Agent[];
}

/** One process that an agent runs in. */
export interface AgentProcess {
  /** Id of the row. */
  id: string;
  /** Agent that it belongs to. */
  agent_id: string;
  /** Project that it belongs to. */
  project_id: string;
  /** Name that the process reported; null without one. */
  worker_id: string | null;
  /** What the process does, as it reported; null when not reported. */
  role: string | null;
  /** How the agent runs in it, as it reported; null when not reported. */
  framework: string | null;
  /** Id of the process on its machine; null when not reported. */
  pid: number | null;
  /** When the process started; null when not reported. */
  started_at: string | null;
  /** Online or offline. */
  state: string;
  /** When it last connected or sent a heartbeat; null if never. */
  last_seen_at: string | null;
  /** When it last connected; null if never. */
  last_connect_at: string | null;
  /** When the service first saw it. */
  created_at: string;
  /** When the row last changed. */
  updated_at: string;
}

/** Unknown: it never connected; online: connected, or sent frames recently; offline: disconnected or silent for too long. */
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
  /** Number that grows with each sample. */
  id: number;
  /** When the agent sent it, by the agent's clock. */
  captured_at: string;
  /** Loss counters, buffer state and connection failures, as reported. */
  payload: Record<string, unknown>;
}

/** An API key, without its token. */
export interface ApiKey {
  /** Id of the key. */
  id: string;
  /** Label, for the owner to recognize the key. */
  name: string;
  /** First characters of the token. */
  prefix: string;
  /** Scopes of the key; see GET /api-keys/scopes. */
  scopes: string[];
  /** The only project that it can access; null means all projects of its owner. */
  project_id: string | null;
  /** Slug of that project; null without one. */
  project_slug: string | null;
  /** Last request, recorded at most once a minute; null when never used. */
  last_used_at: string | null;
  /** Client address of that request; null when never used. */
  last_used_ip: string | null;
  /** When it expires; null means never. */
  expires_at: string | null;
  /** When it was revoked; null while it is valid. */
  revoked_at: string | null;
  /** Why it was revoked; null while it is valid. */
  revoked_reason: string | null;
  /** When it was created. */
  created_at: string;
  /** Addresses that it can be used from, as CIDRs; null means any address. */
  allowed_cidrs: string[] | null;
}

export interface ApiKeyChanges {
  /** IPv4 and IPv6 CIDRs; a bare address is one host; null or empty means any address. */
  allowed_cidrs: string[] | null;
}

export interface ApiKeyMint {
  /** Label, for the owner to recognize the key. */
  name: string;
  /** Scopes listed by GET /api-keys/scopes. */
  scopes: string[];
  /** The only project that the key can access; null or omitted means all of yours. */
  project_id?: string | null;
  /** Days until it expires; null or omitted means never. */
  expires_in_days?: number | null;
  /** IPv4 and IPv6 CIDRs; a bare address is one host; null or empty means any address. */
  allowed_cidrs?: string[] | null;
}

/** One page of audit rows. */
export interface AuditPage {
  items: AuditRow[];
  /** Pass it as `cursor` to get the next page; null on the last page. */
  next_cursor: string | null;
}

/** One row of the audit log. */
export interface AuditRow {
  /** Id of the row. */
  id: string;
  /** Project of the action; null for the instance. */
  project_id: string | null;
  /** Who acted; null for other actors and deleted accounts. */
  user_id: string | null;
  /** The action, such as `agent.token.minted`. */
  action: string;
  /** Type of the target, such as agent. */
  target_type: string;
  /** Id of the target; null without one. */
  target_id: string | null;
  /** Success, or how it failed. */
  result: string;
  /** Allow or deny, or another short word for the outcome; null without one. */
  outcome: string | null;
  /** Further details, which depend on the action. */
  metadata: Record<string, unknown>;
  /** Null for callers who are not instance administrators. */
  source_ip: string | null;
  /** UTC with six decimals. */
  occurred_at: string;
  /** Id of the event that caused it; null without one. */
  event_id: string | null;
  /** Client program of the request; null without one. */
  user_agent: string | null;
}

/** The scheduled verification of the rows. */
export interface AuditVerification {
  /** Whether it is scheduled. */
  enabled: boolean;
  /** Result of the last verification; absent before the first. */
  last?: {
    /** When it ended. */
    finished_at: string;
    /** Failed: a row does not match its signature; error: the verification could not run. */
    outcome: "clean" | "failed" | "error";
    /** Number of valid rows. */
    rows?: number;
    /** First invalid row. */
    row_id?: string;
  };
}

/** Length of one interval. */
export const bucketWidths = [
  "1m",
  "5m",
  "15m",
  "1h",
  "1d",
] as const;
export type BucketWidth = (typeof bucketWidths)[number];

export interface BulkRetryBody {
  /** Repeating a request with the same key and body returns the existing bulk retry. */
  idempotency_key: string;
  filter: BulkRetryFilter;
  /** More matches are refused with 422; 1000 by default. */
  max?: number | null;
  /** By default any eligible agent, chosen for each task. */
  agent_id?: string | null;
  /** Canary: retry this many tasks first and wait for their results. */
  canary_size?: number | null;
  /** With canary_size: block the rest when more canary tasks fail; 0 by default. */
  canary_max_failures?: number | null;
  /** Maximum tasks sent per minute, evenly spread. */
  rate_per_minute?: number | null;
}

/** One task of a bulk retry. */
export interface BulkRetryChild {
  /** Position in sending order, from 0. */
  ordinal: number;
  /** Name of the engine. */
  engine: string;
  /** Id that the engine gave the task. */
  task_id: string;
  /** Name of the task when the bulk retry was sealed. */
  task_name: string | null;
  /** Pending: not sent yet; claimed: sent, or about to be. */
  delivery_state: "pending" | "claimed";
  outcome: BulkRetryOutcome;
  /** Why it was not retried, or why the outcome is unknown; null otherwise. */
  error: string | null;
  /** Command that retries it; null until it is sent. */
  command_id: string | null;
  /** Agent that it was sent to; null until it is sent. */
  agent_id: string | null;
  /** Id of the new task, if the retry created one. */
  new_task_id: string | null;
  /** When it was sent; null until then. */
  claimed_at: string | null;
  /** When it got its outcome; null until then. */
  completed_at: string | null;
}

/** One page of the tasks of a bulk retry. */
export interface BulkRetryChildPage {
  items: BulkRetryChild[];
  /** Pass it as `cursor` to get the next page; null on the last page. */
  next_cursor: string | null;
}

export interface BulkRetryCommandBody {
  /** Agent that carries it out. */
  agent_id: string;
  /** Tasks to retry; a filter without task_ids is refused with 410. */
  filter: {
    /** Name of the engine. */
    engine?: string | null;
    /** Ids that the engine gave the tasks. */
    task_ids?: string[] | null;
  };
  /** Maximum distinct ids to retry, from the start of the list. */
  max: number;
  /** Repeating a request with the same key and body returns the existing command. */
  idempotency_key?: string | null;
}

/** Number of tasks by state. */
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
  /** Outcome unknown: sent, but whether it was retried is not known; never sent again. */
  unknown: number;
}

/** State (or status, its alias) defaults to failure; unknown keys are refused with 400. */
export interface BulkRetryFilter {
  /** Ids that the engine gave the tasks. */
  task_ids?: string[] | null;
  /** Required with task_ids. */
  engine?: string | null;
  /** State of the tasks; failure by default. */
  state?: TaskState | null;
  /** Alias of state. */
  status?: TaskState | null;
  /** Exact queue name. */
  queue?: string | null;
  /** Literal part of the task name. */
  name?: string | null;
  /** Literal part of name, queue, worker or task id, in any case. */
  search?: string | null;
  /** Query in the language of docs/reference/query-language.md, combined with the other filters; not with task_ids. */
  q?: string | null;
  /** Tasks with one of these; not with task_ids. */
  priority?: Priority[] | null;
  /** Tasks received at or after this time. */
  since?: string | number | null;
  /** Tasks received at or before this time. */
  until?: string | number | null;
}

/** Unobserved: no outcome yet; succeeded: retried; failed: not retried; unknown: sent, but whether it was retried is not known; never sent again. */
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
  /** Pass it as `cursor` to get the next page; null on the last page. */
  next_cursor: string | null;
}

/** The filter and limits of a bulk retry. */
export interface BulkRetryPlan {
  /** User who requested it; null for a deleted account. */
  issued_by: string | null;
  /** With its defaults, without task_ids. */
  filter: {
    state: TaskState;
    /** Name of the engine. */
    engine?: string;
    /** Exact queue name. */
    queue?: string;
    /** Literal part of the task name. */
    name?: string;
    /** Literal part of name, queue, worker or task id, in any case. */
    search?: string;
    /** Query in the language of docs/reference/query-language.md. */
    q?: string;
    priority?: Priority[];
    /** Tasks received at or after this time. */
    since?: string;
    /** Tasks received at or before this time. */
    until?: string;
  };
  /** Number of task_ids in the filter; null without task_ids. */
  named_tasks: number | null;
  /** Maximum tasks that the filter may match. */
  max: number;
  /** Maximum tasks in flight: sent and without an outcome. */
  max_in_flight: number;
  /** Tasks to retry first; null without a canary. */
  canary_size: number | null;
  /** Failures of the canary that do not block the rest; null without a canary. */
  canary_max_failures: number | null;
  /** Maximum tasks sent per minute; null without a limit. */
  rate_per_minute: number | null;
  /** Engines of the sealed tasks, in sending order. */
  engines: {
    /** Name of the engine. */
    engine: string;
    /** Tasks of this engine. */
    tasks: number;
  }[];
}

/** A retry of many tasks, which the service sends one by one. */
export interface BulkRetryRequest {
  /** Id of the bulk retry. */
  id: string;
  status: BulkRetryStatus;
  /** Whether tasks are being searched or sent; paused by an operator, or blocked or refused with a blocked_reason. */
  control_state: "sealing" | "running" | "paused" | "blocked" | "refused" | "cancelled";
  /** SHA-256 of the request with its defaults. */
  canonical_digest: string;
  /** SHA-256 over engine, ordinal and payload of every child; null until it is sealed. */
  plan_digest: string | null;
  /** The only agent that may retry its tasks; null for any eligible agent. */
  target_agent_id: string | null;
  counts: BulkRetryCounts;
  /** When it was requested. */
  created_at: string;
  /** When its list of tasks was fixed; null until then. */
  sealed_at: string | null;
  /** Tasks not sent by then wait for `resume`, which sets a new deadline. */
  deadline_at: string;
  /** When it last sent a task, got an outcome, or advanced its search; null until then. */
  last_progress_at: string | null;
  /** Progress of the search for its tasks; null when it is not running. */
  sealing: {
    /** Matching tasks found so far. */
    found: number;
    /** Tasks received after this time were searched; null before the first step. */
    reached: string | null;
  } | null;
  /** Why it is blocked or was refused; null otherwise. */
  blocked_reason: string | null;
}

/** Sealing: the search for its tasks is running; in_progress: tasks are being sent; paused, blocked: waiting for `resume`; succeeded, failed, partial: every outcome is known; indeterminate: some outcomes are unknown; no_match: the filter matched no task; refused: not sealed, see blocked_reason; cancelled: by an operator before it was sealed. */
export const bulkRetryStatuses = [
  "sealing",
  "in_progress",
  "paused",
  "blocked",
  "succeeded",
  "failed",
  "partial",
  "indeterminate",
  "no_match",
  "refused",
  "cancelled",
] as const;
export type BulkRetryStatus = (typeof bulkRetryStatuses)[number];

/** What happens to slots that were missed. skip: none fires; fire_one_missed: the newest fires; fire_all_missed: all fire, oldest first. */
export const catchUpPolicies = [
  "skip",
  "fire_one_missed",
  "fire_all_missed",
] as const;
export type CatchUpPolicy = (typeof catchUpPolicies)[number];

/** Degraded: works, but needs attention; the worst of several checks. */
export const checkStatuses = [
  "ok",
  "degraded",
  "failed",
] as const;
export type CheckStatus = (typeof checkStatuses)[number];

export interface ClearQuarantineBody {
  /** control_token of the schedule as you saw it. */
  observed_control_token: string;
}

/** Skipped: its time does not exist on that day, so that it fires right after the change; repeated: its time occurs twice, so that it fires twice. */
export const clockWarningKinds = [
  "skipped",
  "repeated",
] as const;
export type ClockWarningKind = (typeof clockWarningKinds)[number];

/** A command to an agent, with its status and result. */
export interface Command {
  /** Id of the command. */
  id: string;
  /** Project that it belongs to. */
  project_id: string;
  /** Id of the user; null for viewers and auditors, for a deleted account, and for commands of the service itself. */
  issued_by: string | null;
  /** Agent that receives it. */
  agent_id: string | null;
  action: CommandAction;
  /** Whether it may be sent several times, because repeating it is harmless; then `dispatched_at` is null again after a failed send, although the agent may have received it. */
  is_repeatable: boolean;
  /** What it acts on, such as task, queue or worker. */
  target_type: string;
  /** Id or name of the target; null for several targets. */
  target_id: string | null;
  /** Parameters for the agent; empty for viewers and auditors. */
  payload: Record<string, unknown>;
  /** Idempotency key of the request; null without one. */
  idempotency_key: string | null;
  status: CommandStatus;
  /** What the agent reported on success; `{"outcome": "unknown"}` for a failed command whose effect is unknown; null otherwise, and for viewers and auditors. */
  result: unknown;
  /** Why it did not complete; null otherwise. */
  error: string | null;
  /** When it was requested. */
  issued_at: string;
  /** When it was sent; null until then. */
  dispatched_at: string | null;
  /** When it reached a final status; null until then. */
  completed_at: string | null;
  /** It times out then if no result has arrived; restarts when it is sent. */
  timeout_at: string | null;
  /** Client address of the request; null for viewers and auditors, and for commands of the service itself. */
  source_ip: string | null;
}

/** What the agent has to do. */
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
  /** Pass it as `cursor` to get the next page; null on the last page. */
  next_cursor: string | null;
}

/** Pending: not sent yet; dispatched: sent, no result yet; completed: succeeded; failed: did not succeed; timeout: no result in time; cancelled: not sent, because the agent was revoked or the project archived. */
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
  /** In order of time; counts are of whole gaps, even when one begins before the range. */
  gaps: CompletenessGap[];
  /** Losses before this time are deleted. */
  kept_since: string;
  /** More than 1000 losses exist; the newest are shown. */
  is_cut: boolean;
}

/** A period in which an agent lost records. */
export interface CompletenessGap {
  /** Agent that lost them. */
  agent_id: string;
  /** Name of the agent. */
  agent_name: string;
  /** When lower loss counters were last reported. */
  from: string;
  /** When higher counters were reported. */
  to: string;
  /** Events that were lost. */
  event_records: number;
  /** Other frames that were lost, such as results of commands. */
  other_frames: number;
  /** Capacity: the buffer was full; content: a record could not be sent; adapter: lost before the buffer; unknown: not reported. */
  reason: "capacity" | "content" | "adapter" | "unknown";
}

/** The operation succeeded. */
export interface Confirmation {
  /** Always true. */
  ok: boolean;
}

export interface ConsumerBody {
  /** Agent that carries it out. */
  agent_id: string;
  /** Name that the engine gives the worker. */
  worker_name: string;
  /** Required when the agent serves several engines. */
  engine?: string | null;
  /** Repeating a request with the same key and body returns the existing command. */
  idempotency_key?: string | null;
  /** Queue to start or stop consuming. */
  queue: string;
}

/** A task that its engine has given up on. */
export interface DeadLetter {
  /** Id that the engine gave the task. */
  task_id: string;
  /** Function or job name; null when the engine does not keep it. */
  task_name: string | null;
  /** Queue of the dead letter. */
  queue: string;
  /** Its last failure; null when the engine does not keep it. */
  failed_at: string | null;
  /** The redacted end of the failure text. */
  error_excerpt: string | null;
  /** Number of attempts; null when the engine does not keep it. */
  attempts: number | null;
}

/** One page of dead letters, as the agent read them for this request. */
export interface DeadLetterPage {
  /** Newest first; empty when the engine reports only the total. */
  entries: DeadLetter[];
  /** Pass it as `cursor` to get the next page; null on the last page. */
  next_cursor: string | null;
  /** Dead letters in all pages; null when the engine does not count them. */
  total: number | null;
  /** Name of the engine. */
  engine: string;
  /** Agent that returned the page. */
  agent_id: string;
}

/** The results of all checks. */
export interface DeepHealth {
  status: CheckStatus;
  /** What these checks leave out. */
  coverage: {
    /** Always false: the checks at start cover more. */
    startup_equivalent: boolean;
    /** What they cover. */
    detail: string;
  };
  /** Results by the name of the check. */
  checks: Record<string, HealthCheck>;
}

/** How many tasks were deleted. */
export interface DeletedTasks {
  /** Number of tasks that this request deleted. */
  deleted_count: number;
}

export interface DeviceRename {
  /** New name of the browser. */
  label: string;
}

/** A refusal or failure. */
export interface Error {
  /** Code of the error; decide by this. */
  error: string;
  /** For people; may change. */
  message: string;
  /** Facts of the error, by code. */
  details: Record<string, unknown>;
  /** Finds the request in the log. */
  request_id?: string;
  /** Only of some errors, for agents. */
  detail?: string;
}

/** What happened to a task, worker, queue or schedule; unknown: a kind that this version does not support. */
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
  /** Pass it as `cursor` to get the next page; null on the last page. */
  next_cursor: string | null;
}

/** A request to the scheduler of an engine. */
export interface ExternalControlOperation {
  /** Id of the operation. */
  id: string;
  /** Schedule that it acts on. */
  schedule_id: string;
  /** Command to the agent. */
  command_id: string;
  /** Action of the command, such as schedule.enable. */
  action: string;
  status: ExternalControlStatus;
  /** The requested state; null for other actions. */
  desired_is_enabled: boolean | null;
  /** Why it did not succeed; null otherwise. */
  error: string | null;
  /** When it was requested. */
  created_at: string;
  /** When its status last changed. */
  updated_at: string;
}

/** Pending: not confirmed yet; succeeded: the scheduler of the engine shows the requested state; failed: it was not carried out; ambiguous: the outcome is unknown. */
export const externalControlStatuses = [
  "pending",
  "succeeded",
  "failed",
  "ambiguous",
] as const;
export type ExternalControlStatus = (typeof externalControlStatuses)[number];

/** The values of a field with their counts. */
export interface Facet {
  field: FacetField;
  /** Most frequent first. */
  values: {
    /** Value of the field, or path below it. */
    value: string;
    /** A lower bound when exact is false. */
    count: number;
    /** False when the count stopped at 10,000, ran out of time, or comes from a sample. */
    exact: boolean;
  }[];
}

/** Field whose values are counted; for args, kwargs and result, the paths in the payloads of the newest 200 matching tasks, such as `user.id`. */
export const facetFields = [
  "state",
  "priority",
  "name",
  "queue",
  "worker",
  "engine",
  "args",
  "kwargs",
  "result",
] as const;
export type FacetField = (typeof facetFields)[number];

/** One run of a schedule. */
export interface Fire {
  /** Id of the row. */
  id: string;
  /** Identifies the fire; the same for every retry of a slot. */
  fire_id: string;
  status: FireStatus;
  /** Its slot. */
  scheduled_for: string;
  /** When the service recorded it. */
  fired_at: string;
  /** Milliseconds from dispatch to acknowledgement. */
  latency_ms: number | null;
  /** Kind of failure. */
  error_code: string | null;
  /** Schedule that was fired. */
  schedule_id: string;
  /** Its command; null while it waits for an agent. */
  command_id: string | null;
  /** When its command was sent to the agent. */
  dispatched_at: string | null;
  /** When the agent reported the outcome. */
  acked_at: string | null;
  /** Reason of the failure, for people. */
  error_message: string | null;
  /** User who ran it; null for slots and for users who were no members. */
  triggered_by_user_id: string | null;
  /** The task that the agent created, as the engine names it. */
  task_id: string | null;
}

/** Fires of a schedule, newest first. */
export type FireList = Fire[];

export interface FireResolution {
  /** Id of the fire: its `fire_id`. */
  fire_id: string;
  expected_status: FireStatus;
  resolution: Resolution;
  /** `control_token` of the schedule as you saw it. */
  observed_control_token: string;
  /** Confirms that you know that the task may have run, or may still run. */
  work_may_have_executed: true;
  /** Whether the schedule is enabled afterwards; true by default. */
  enabled_after_resolution?: boolean;
}

/** Accepted: its command is issued; delivered: sent to an agent; buffered: waits for an agent; acked_success, acked_failed: reported by the agent; failed: never reached an agent; buffer_stale, buffer_expired: dropped from the buffer; operator_skipped and terminal_*: ended without a report. */
export const fireStatuses = [
  "pending",
  "accepted",
  "buffered",
  "delivered",
  "terminal_timeout",
  "acked_success",
  "acked_failed",
  "failed",
  "buffer_stale",
  "buffer_expired",
  "operator_skipped",
  "terminal_completed",
  "terminal_failed",
  "terminal_cancelled",
] as const;
export type FireStatus = (typeof fireStatuses)[number];

/** How many frames were stored and how many to send again. */
export interface FrameReceipt {
  /** Frames that were stored, dropped permanently, unparseable, or unsigned handshakes. */
  accepted: number;
  /** Frames to send again. */
  rejected: number;
  /** Why frames were rejected or dropped, at most 10. */
  errors: string[];
  /** scheduler_upgrade_required: a scheduler adapter is too old; null otherwise. */
  error_code: null | "scheduler_upgrade_required";
}

/** Signed frames of an agent. */
export interface FrameUpload {
  frames: string[];
}

/** The result of one check. */
export interface HealthCheck {
  status: CheckStatus;
  /** What is wrong, or what the check found. */
  detail?: string;
  /** How long the check's query took. */
  latency_ms?: number;
  /** Version of the schema that the database has. */
  revision?: string;
  /** Version of the schema that this release needs. */
  expected?: string;
  /** Whether the audit chain was started. */
  activated?: boolean;
  /** State-only: rows of the audit log are not read. */
  scope?: string;
  verification?: AuditVerification;
}

/** Something that needs attention. */
export interface HomeAttention {
  /** What is wrong; `misfires`: runs of schedules that were missed, late or too long; `breaker_tripped`: schedules that were disabled after repeated failures. */
  kind: "agents_offline" | "workers_missing" | "queues_without_workers" | "failure_rate" | "stuck_commands" | "issue_spike" | "misfires" | "breaker_tripped";
  /** How urgent it is. */
  severity: "critical" | "warning";
  /** Id of the project. */
  project_id: string;
  /** Slug of the project. */
  project_slug: string;
  /** Name of the project. */
  project_name: string;
  /** One sentence without the project's name. */
  message: string;
  /** Number of affected agents, workers, queues, failures, commands, runs or schedules; null without a number. */
  count: number | null;
  /** When it started; null when unknown. */
  since: string | null;
  /** The similar failures; only with `issue_spike`. */
  issue?: {
    /** Fingerprint of the issue. */
    fingerprint: string;
    /** Exception of the newest failure; first 2000 characters. */
    sample_exception: string | null;
    /** Task name of the newest failure; null when unknown. */
    sample_task_name: string | null;
  };
}

/** Figures of the last 24 hours. */
export interface HomeFigures {
  /** Tasks that finished in the last 24 h: succeeded, failed, were revoked or rejected. */
  tasks_24h: number;
  /** Tasks that failed in the last 24 h. */
  failures_24h: number;
  /** Share of failures among tasks that succeeded or failed, 0 to 1. */
  failure_rate_24h: number;
  /** Workers that are online now. */
  workers_online: number;
  /** Known workers. */
  workers_total: number;
  /** Agents that are online now. */
  agents_online: number;
  /** Workers that went offline in the last 24 h without announcing it, minus those of the same engine that started since. */
  workers_missing: number;
  /** Agents that are not online now, except those that never connected. */
  agents_offline: number;
  /** Agents that are not revoked. */
  agents_total: number;
  /** Commands open for more than half of their time limit. */
  stuck_commands: number;
}

/** A project with its figures. */
export interface HomeProject {
  /** Id of the project. */
  id: string;
  /** Name in URLs. */
  slug: string;
  /** Display name. */
  name: string;
  /** Such as production or staging. */
  environment: string;
  /** Role of the caller; null for an instance administrator without a role. */
  role: ProjectRole | null;
  /** Tasks that finished in the last 24 h: succeeded, failed, were revoked or rejected. */
  tasks_24h: number;
  /** Tasks that failed in the last 24 h. */
  failures_24h: number;
  /** Share of failures among tasks that succeeded or failed, 0 to 1. */
  failure_rate_24h: number;
  /** Workers that are online now. */
  workers_online: number;
  /** Known workers. */
  workers_total: number;
  /** Agents that are online now. */
  agents_online: number;
  /** Workers that went offline in the last 24 h without announcing it, minus those of the same engine that started since. */
  workers_missing: number;
  /** Agents that are not online now, except those that never connected. */
  agents_offline: number;
  /** Agents that are not revoked. */
  agents_total: number;
  /** Commands open for more than half of their time limit. */
  stuck_commands: number;
  /** Start of the newest minute with stored events, or of the hour when more than 48 h ago. */
  last_activity_at: string | null;
  health: ProjectHealth;
  /** Waiting tasks in its queues, as last reported. */
  backlog: number;
  /** Tasks that ended in each of the last 24 UTC hours; the last one is the current hour. */
  tasks_by_hour: number[];
}

/** The figures of all projects that the caller sees. */
export interface HomeSummary {
  /** The caller. */
  user: {
    /** Id of the account. */
    id: string;
    /** Address that the user signs in with. */
    email: string;
    /** Name shown to others; null if not set. */
    display_name: string | null;
    /** Whether the user administers the instance. */
    is_admin: boolean;
  };
  aggregate: HomeFigures;
  projects: HomeProject[];
  /** Critical first. */
  attention: HomeAttention[];
}

/** The effective settings of one process. */
export interface InstanceSettings {
  /** Home directory of the answering process. */
  svc_home: string;
  settings: SettingRow[];
}

/** An invitation to a project, without its token. */
export interface Invitation {
  /** Id of the invitation. */
  id: string;
  /** Project that it belongs to. */
  project_id: string;
  /** Invited email address. */
  email: string;
  role: ProjectRole;
  /** User who created it; null for a deleted account. */
  invited_by: string | null;
  /** When it expires. */
  expires_at: string;
  /** When it was accepted; null before that. */
  accepted_at: string | null;
  /** When it was revoked; null while it is valid. */
  revoked_at: string | null;
  /** When it was created. */
  created_at: string;
}

export interface InvitationAccept {
  /** From the link of the invitation. */
  token: string;
  /** For a new account; ignored when the invited address has one. */
  display_name?: string;
  /** For a new account; ignored when the invited address has one. */
  password?: string;
}

/** The new membership. */
export interface InvitationAccepted {
  /** Id of the new member's account. */
  user_id: string;
  /** Slug of the project. */
  project_slug: string;
  role: ProjectRole;
}

export interface InvitationCreate {
  /** Email address of the person invited. */
  email: string;
  role?: ProjectRole;
  /** Days until the invitation expires, default 7. */
  ttl_days?: number;
}

/** Pending invitations. */
export interface InvitationPage {
  items: Invitation[];
}

/** The project and the role of an invitation. */
export interface InvitationPreview {
  /** Invited email address. */
  email: string;
  role: ProjectRole;
  /** Slug of the project. */
  project_slug: string;
  /** Name of the project shown to people. */
  project_name: string;
  /** When it expires. */
  expires_at: string;
  /** Whether the address has an account, whose owner must be signed in to accept. */
  existing_account: boolean;
}

export interface InvitationToken {
  /** From the link of the invitation. */
  token: string;
}

/** A new invitation with its token. */
export interface InvitedAnswer {
  invitation: Invitation;
  /** Shown once. */
  token: string;
  /** Path and fragment of the accept page under SVC_PUBLIC_URL. */
  accept_url_path: string;
  /** Whether the mail server accepted the mail. */
  email_sent: boolean;
}

/** A group of similar failures. */
export interface Issue {
  /** 32 hex digits, shared by similar failures. */
  fingerprint: string;
  /** Error class of the newest failure, such as TypeError; null when unknown. */
  error_class: string | null;
  /** First line of the newest failure's message with its values replaced by placeholders such as <n>; at most 500 characters. */
  template: string | null;
  /** Ongoing: open_count is above 0; recovered: it is 0. */
  status: "ongoing" | "recovered";
  /** Tasks whose last failure is of this issue and in the range. */
  occurrences: number;
  /** Those that are in state failure now. */
  open_count: number;
  /** Those that are in another state now. */
  recovered_count: number;
  /** There are more: only the newest 1000 to 10 000 tasks were counted, fewer when the page has more issues. */
  is_capped: boolean;
  /** First retained failure, even before the range. */
  first_seen: string;
  /** Newest failure in the range. */
  last_seen: string;
  /** Number of engines. */
  engine_count: number;
  /** Engines whose tasks failed this way. */
  engines: string[];
  /** Exception of the newest failure; first 2000 characters. */
  sample_exception: string | null;
  /** Task name of the newest failure; null when unknown. */
  sample_task_name: string | null;
  /** Failures in each of 24 equal intervals of the range; only when requested. */
  trend?: number[];
}

/** One page of issues. */
export interface IssuePage {
  items: Issue[];
  /** Pass it as `cursor` to get the next page; null on the last page. */
  next_cursor: string | null;
  /** False when the order by occurrences may miss an issue: it counts the newest 50 000 failures of the range, and with a status checks the 200 most frequent issues. */
  is_exact: boolean;
}

/** The latest known versions of the packages. */
export interface KnownVersions {
  /** Name to latest known version. */
  packages: Record<string, string>;
  /** Version of the format of this answer. */
  schema_version: number;
  /** When the list was generated; null for the bundled one. */
  generated_at: string | null;
  /** Program that generated the list. */
  generated_by: string;
  /** URL where the list is published; null for the bundled one. */
  canonical_url: string | null;
  /** Bundled with this release, or fetched from the configured URL. */
  source: "bundled" | "remote";
  /** When it was fetched; null for the bundled one. */
  fetched_at: string | null;
  /** URL that it was fetched from; null for the bundled one. */
  fetched_from: string | null;
  /** URL that the check uses; null when the check is disabled. */
  check_for_updates_url: string | null;
}

/** Run and wait times over time. */
export interface Latency {
  bucket: BucketWidth;
  /** Percentiles of the whole range. */
  total: {
    run: Percentiles | null;
    wait: Percentiles | null;
  };
  /** Percentiles of each interval, oldest first. */
  series: {
    /** Start of the interval. */
    t: string;
    run: Percentiles | null;
    wait: Percentiles | null;
  }[];
}

/** The process runs. */
export interface Liveness {
  /** Always ok. */
  status: "ok";
}

export interface LoginRequest {
  /** Address of the account. */
  email: string;
  /** Password of the account. */
  password: string;
  /** Keep the session for 30 days, without an idle limit. */
  remember_me?: boolean;
}

/** The signed-in user and what the session still needs. */
export interface LoginResponse {
  user: UserPublic;
  /** The session must verify a second factor first. */
  mfa_required: boolean;
  /** The instance requires a second factor, and the user has none. */
  mfa_enrollment_required: boolean;
  /** Deadline for setting it up; null unless it is required. */
  mfa_enrollment_deadline: string | null;
}

/** The account of the caller. */
export interface Me {
  /** Id of the account. */
  id: string;
  /** Address that the user signs in with. */
  email: string;
  /** Given name; null without one. */
  first_name: string | null;
  /** Family name; null without one. */
  last_name: string | null;
  /** Name shown to others; null without one. */
  display_name: string | null;
  /** Whether the user administers the instance. */
  is_admin: boolean;
  /** IANA time zone of the user. */
  timezone: string;
  /** When the account was created. */
  created_at: string;
  /** Projects that the user is a member of. */
  memberships: MembershipSummary[];
  /** The session must verify a second factor first. */
  mfa_required: boolean;
  /** The instance requires a second factor, and the user has none. */
  mfa_enrollment_required: boolean;
  /** Deadline for setting it up; null unless it is required. */
  mfa_enrollment_deadline: string | null;
  session: SessionLimits;
}

/** A member of a project. */
export interface Member {
  /** Id of the membership. */
  id: string;
  /** Id of the account. */
  user_id: string;
  /** Project that it belongs to. */
  project_id: string;
  /** Address of the account. */
  user_email: string;
  /** Name of the user shown to others; null without one. */
  user_display_name: string | null;
  role: ProjectRole;
  /** When the membership was created. */
  created_at: string;
}

export interface MemberAdd {
  /** Id of the account. */
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
  /** Id of the project. */
  project_id: string;
  /** Slug of the project. */
  project_slug: string;
  /** Name of the project shown to people. */
  project_name: string;
  role: ProjectRole;
}

export interface MfaCode {
  /** Code of the authenticator app, or a recovery code. */
  code: string;
}

export interface MfaDisable {
  /** Password of the account. */
  password: string;
  /** Code of the authenticator app, or a recovery code. */
  code: string;
}

/** The secret for the authenticator app. */
export interface MfaEnrollment {
  /** Secret to type into the app. */
  secret_base32: string;
  /** `otpauth:` URL of the same secret, to show as a QR code. */
  provisioning_url: string;
}

/** The state of the second factor. */
export interface MfaStatus {
  /** Whether a second factor is set up. */
  enrolled: boolean;
  /** When it was set up; null without one. */
  enrolled_at: string | null;
  /** Unused recovery codes. */
  remaining_recovery_codes: number;
  /** The instance requires a second factor, and the user has none. */
  enrollment_required: boolean;
  /** Deadline for setting it up; null unless it is required. */
  enrollment_deadline: string | null;
}

/** The session is verified. */
export interface MfaVerified {
  /** Always true. */
  ok: boolean;
  /** Whether a recovery code was used. */
  used_recovery_code: boolean;
  /** Unused recovery codes. */
  remaining_recovery_codes: number;
}

export interface MfaVerify {
  /** Code of the authenticator app, or a recovery code. */
  code: string;
  /** Trust this browser, so that it needs no code. */
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
  /** Id of the key. */
  id: string;
  /** Label, for the owner to recognize the key. */
  name: string;
  /** First characters of the token. */
  prefix: string;
  /** Scopes of the key; see GET /api-keys/scopes. */
  scopes: string[];
  /** The only project that it can access; null means all projects of its owner. */
  project_id: string | null;
  /** Slug of that project; null without one. */
  project_slug: string | null;
  /** Last request, recorded at most once a minute; null when never used. */
  last_used_at: string | null;
  /** Client address of that request; null when never used. */
  last_used_ip: string | null;
  /** When it expires; null means never. */
  expires_at: string | null;
  /** When it was revoked; null while it is valid. */
  revoked_at: string | null;
  /** Why it was revoked; null while it is valid. */
  revoked_reason: string | null;
  /** When it was created. */
  created_at: string;
  /** Addresses that it can be used from, as CIDRs; null means any address. */
  allowed_cidrs: string[] | null;
  /** The bearer token; shown only here. */
  token: string;
}

/** A slot that was not fired in time, or whose task took too long. */
export interface Misfire {
  /** The schedule. */
  schedule_id: string;
  misfire_kind: MisfireKind;
  /** When the service noticed it. */
  detected_at: string;
  /** The slot. */
  expected_fire_at: string;
  /** Seconds by which the slot was late, or that the task has run, when it was noticed. */
  lateness_seconds: number;
  /** The limit that was exceeded, in seconds. */
  grace_seconds: number;
  /** Name of the schedule at that time. */
  name: string;
  /** Engine of the schedule at that time. */
  engine: string;
  /** Kind of the schedule at that time, such as cron. */
  kind: string;
}

/** missed_slot: nothing fired the slot; late_start: the task was sent to an agent too late; long_run: the task runs for too long. */
export const misfireKinds = [
  "missed_slot",
  "late_start",
  "long_run",
] as const;
export type MisfireKind = (typeof misfireKinds)[number];

/** Misfires, newest first. */
export type MisfireList = Misfire[];

/** Whether it fires while an earlier fire is open. allow: yes; skip: the slot is skipped. */
export const overlapPolicies = [
  "allow",
  "skip",
] as const;
export type OverlapPolicy = (typeof overlapPolicies)[number];

export interface PasswordChange {
  /** A wrong one counts toward the lockout of the account. */
  current_password: string;
  /** Must meet GET /auth/policy. */
  new_password: string;
  /** Also revoke all API keys of the user. */
  revoke_api_keys?: boolean;
}

/** Rules for a new password. */
export interface PasswordPolicy {
  /** Minimum number of characters. */
  min_length: number;
  /** Maximum number of characters. */
  max_length: number;
  /** Number of character classes that are required. */
  required_character_classes: number;
  /** Names of the classes, such as digit. */
  character_class_names: string[];
  /** Length from which no character classes are required. */
  exempt_length: number;
}

/** The request was accepted, whether or not the address has an account. */
export interface PasswordResetAccepted {
  /** Always true. */
  accepted: true;
}

export interface PasswordResetConfirm {
  /** From the link in the mail. */
  token: string;
  /** Must meet the password policy. */
  new_password: string;
}

/** The new password is set. */
export interface PasswordResetDone {
  /** Always true. */
  success: true;
}

export interface PasswordResetRequest {
  /** Address of the account. */
  email: string;
}

export interface PasswordSet {
  /** Must meet GET /auth/policy. */
  new_password: string;
}

/** Milliseconds, within 5 % of the true value. */
export interface Percentiles {
  /** Half of the values are at most this. */
  p50: number;
  /** 95 % of the values are at most this. */
  p95: number;
  /** 99 % of the values are at most this. */
  p99: number;
  /** Number of values. */
  count: number;
}

export interface PoolResizeBody {
  /** Agent that carries it out. */
  agent_id: string;
  /** Name that the engine gives the worker. */
  worker_name: string;
  /** Required when the agent serves several engines. */
  engine?: string | null;
  /** Repeating a request with the same key and body returns the existing command. */
  idempotency_key?: string | null;
  /** Processes to add; negative values shrink the pool; not 0. */
  delta: number;
}

/** Urgency, from critical to low. */
export const priorities = [
  "critical",
  "high",
  "normal",
  "low",
] as const;
export type Priority = (typeof priorities)[number];

export interface ProfileChanges {
  /** Given name; null removes it. */
  first_name?: string | null;
  /** Family name; null removes it. */
  last_name?: string | null;
  /** Name shown to others; null removes it. */
  display_name?: string | null;
  /** IANA time zone of the user. */
  timezone?: string;
}

/** A project: the scope of agents, tasks, members and settings. */
export interface Project {
  /** Id of the project. */
  id: string;
  /** Unique name in URLs. */
  slug: string;
  /** Name shown to people. */
  name: string;
  /** Purpose of the project; null without one. */
  description: string | null;
  /** For example production or staging. */
  environment: string;
  /** IANA time zone. */
  timezone: string;
  /** False when it is archived. */
  is_active: boolean;
  /** False stops all automation rules of the project. */
  automation_enabled: boolean;
  /** Increases with each change of automation_enabled. */
  automation_revision: number;
  /** Scheduler for schedules that name none. */
  default_scheduler_owner: string;
  /** Schedulers that schedules may name; null allows any. */
  allowed_schedulers: string[] | null;
  /** Free-form settings; null without any. */
  settings: Record<string, unknown> | null;
  /** Reserved; null. */
  organization_id: string | null;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

export interface ProjectChanges {
  /** 2 to 63 characters, [a-z0-9](-?[a-z0-9])*. */
  slug?: string;
  /** Name shown to people. */
  name?: string;
  /** Restores an archived project; DELETE archives. */
  is_active?: true;
  /** Purpose of the project; null removes it. */
  description?: string | null;
  /** For example staging; a new project defaults to production. */
  environment?: string;
  /** IANA time zone; a new project defaults to UTC. */
  timezone?: string;
  /** Scheduler for schedules that name none; one of allowed_schedulers. */
  default_scheduler_owner?: string;
  /** Schedulers that schedules may name; null allows any, an empty list is refused. */
  allowed_schedulers?: string[] | null;
  /** Free-form settings; null removes them. */
  settings?: Record<string, unknown> | null;
}

export interface ProjectCreate {
  /** 2 to 63 characters, [a-z0-9](-?[a-z0-9])*. */
  slug: string;
  /** Name shown to people. */
  name: string;
  /** Purpose of the project; null removes it. */
  description?: string | null;
  /** For example staging; a new project defaults to production. */
  environment?: string;
  /** IANA time zone; a new project defaults to UTC. */
  timezone?: string;
  /** Scheduler for schedules that name none; one of allowed_schedulers. */
  default_scheduler_owner?: string;
  /** Schedulers that schedules may name; null allows any, an empty list is refused. */
  allowed_schedulers?: string[] | null;
  /** Free-form settings; null removes them. */
  settings?: Record<string, unknown> | null;
}

/** Idle: no agent ever connected; offline: no agent is online; degraded: more than 5 % failures, a stuck command, an offline agent, a missing worker or a queue with waiting tasks but no worker; healthy: none of these. */
export const projectHealths = [
  "idle",
  "offline",
  "degraded",
  "healthy",
] as const;
export type ProjectHealth = (typeof projectHealths)[number];

/** Viewer reads; operator also sends commands; admin also manages the project; auditor reads, the audit log included. */
export const projectRoles = [
  "viewer",
  "operator",
  "admin",
  "auditor",
] as const;
export type ProjectRole = (typeof projectRoles)[number];

/** Figures of a project. */
export interface ProjectStats {
  /** Tasks in each state now. */
  tasks_by_state: {
    /** Tasks in state pending. */
    pending: number;
    /** Tasks in state received. */
    received: number;
    /** Tasks in state started. */
    started: number;
    /** Tasks in state success. */
    success: number;
    /** Tasks in state failure. */
    failure: number;
    /** Tasks in state retry. */
    retry: number;
    /** Tasks in state revoked. */
    revoked: number;
    /** Tasks in state rejected. */
    rejected: number;
    /** Tasks in state unknown. */
    unknown: number;
  };
  /** All stored tasks. */
  tasks_total: number;
  /** Tasks that finished in the range: succeeded, failed, were revoked or rejected. */
  tasks_finished_24h: number;
  /** Failures in the range. */
  tasks_failed_24h: number;
  /** Successes in the range. */
  tasks_succeeded_24h: number;
  /** Share of failures among failures and successes in the range, 0 to 1; 0 without any. */
  failure_rate_24h: number;
  /** Agents that are online now. */
  agents_online: number;
  /** Agents that are not online now, except those that never connected. */
  agents_offline: number;
  /** Workers that are online now. */
  workers_online: number;
  /** Workers that are offline now. */
  workers_offline: number;
  /** Workers that went offline in the last 24 h without announcing it, minus those of the same engine that started since. */
  workers_missing: number;
  /** Commands pending now, whenever issued. */
  commands_pending: number;
  /** Commands dispatched now, whenever issued. */
  commands_dispatched: number;
  /** Commands issued in the range that completed. */
  commands_completed_24h: number;
  /** Commands issued in the range that failed. */
  commands_failed_24h: number;
  /** Commands issued in the range that timed out. */
  commands_timeout_24h: number;
  /** Schedules that fire again only after someone acts: quarantined ones, and those disabled after failed fires in a row. */
  schedules_stopped: number;
  /** The 500 deepest queues, deepest first. */
  queue_depths: {
    /** Name of the queue. */
    name: string;
    /** Name of the engine. */
    engine: string;
    /** Waiting tasks, as last reported. */
    pending_count: number;
    /** Reserved for the type of broker; null. */
    broker_type: string | null;
    /** Time of the newest report or event that names it; null if none. */
    last_seen_at: string | null;
  }[];
  /** Whether the project needs attention. */
  system_health: {
    /** Critical: none of several agents is online; degraded: a flag is false; healthy: every flag is true. */
    status: "healthy" | "degraded" | "critical";
    /** Every agent is online. */
    agents_all_online: boolean;
    /** Fewer than 10 000 tasks wait in every queue. */
    queue_depth_ok: boolean;
    /** failure_rate_24h is below 0.1. */
    failure_rate_ok: boolean;
    /** The database answers. */
    brain_db_ok: boolean;
  };
}

export interface PurgeQueueBody {
  /** Agent that carries it out. */
  agent_id: string;
  /** Name of the queue to empty. */
  queue: string;
  /** Token computed by the caller, instead of observed_depth. */
  confirm_token?: string | null;
  /** Depth that the caller has seen. */
  observed_depth?: number | null;
  /** Purge at any depth. */
  force?: boolean | null;
  /** Required when the agent serves several engines. */
  engine?: string | null;
  /** Repeating a request with the same key and body returns the existing command. */
  idempotency_key?: string | null;
}

/** A named line of waiting tasks in an engine. */
export interface Queue {
  /** Id of the row. */
  id: string;
  /** Project that it belongs to. */
  project_id: string;
  /** Name that the engine gives it. */
  name: string;
  /** Name of the engine. */
  engine: string;
  /** Reserved for the kind of broker; null. */
  broker_type: string | null;
  /** Reserved for the address of the broker; null. */
  broker_url_hint: string | null;
  /** Time of the newest report or event that names it; null before the first. */
  last_seen_at: string | null;
  /** Waiting tasks, as last reported. */
  pending_count: number;
  /** Consumers, as last reported. */
  consumer_count: number;
  /** When its oldest waiting task began to wait; null when none waits, or when not reported. */
  oldest_waiting_since: string | null;
  /** When pending_count was reported; null when it never was. */
  depth_reported_at: string | null;
  /** When consumer_count was reported; null when it never was. */
  consumers_reported_at: string | null;
  /** `paused`, `paused_since`, `limited_until`: why it does not start tasks; empty otherwise. */
  metadata: Record<string, unknown>;
  /** When the service first saw it. */
  created_at: string;
}

/** What entered and left the queues in the requested minutes. */
export interface QueueActivities {
  /** Start of the counted minutes. */
  from: string;
  /** End of the counted minutes. */
  to: string;
  /** Width of a step of `pending`; the first step contains `from`. */
  step_seconds: number;
  /** True when there are more queues than shown. */
  truncated: boolean;
  items: QueueActivity[];
}

/** What entered and left one queue. */
export interface QueueActivity {
  /** Id of the queue's row. */
  queue_id: string;
  /** Name of the engine. */
  engine: string;
  /** Name of the queue. */
  name: string;
  /** Tasks that were sent. */
  entered: number;
  /** Runs that began. */
  started: number;
  /** Tasks that succeeded, failed, were revoked or rejected. */
  ended: number;
  /** Tasks that failed. */
  failed: number;
  /** Highest depth per step; null where none was reported. */
  pending: (number | null)[];
}

/** The depths of a queue over time. */
export interface QueueDepths {
  /** Start of the range. */
  from: string;
  /** End of the range. */
  to: string;
  /** Start of the retention; nothing older is kept. */
  kept_from: string;
  /** Width of a step. */
  step_seconds: number;
  /** Steps in which depths were reported, oldest first. */
  series: {
    /** Start of the step. */
    t: string;
    /** Highest depth reported in the step. */
    pending: number;
    /** Consumers as last reported in the step. */
    consumers: number;
  }[];
}

/** One page of queues. */
export interface QueuePage {
  items: Queue[];
  /** Pass it as `cursor` to get the next page; null on the last page. */
  next_cursor: string | null;
}

export interface RateLimitBody {
  /** Agent that carries it out. */
  agent_id: string;
  /** Name of the tasks to limit. */
  task_name: string;
  /** Runs per second, or with /s, /m or /h per second, minute or hour; 0 removes the limit. */
  rate: number | string;
  /** Worker to limit; without it, no worker may apply the limit. */
  worker_name?: string | null;
  /** Required when the agent serves several engines. */
  engine?: string | null;
  /** Repeating a request with the same key and body returns the existing command. */
  idempotency_key?: string | null;
}

/** The service is ready. */
export interface Readiness {
  /** Always ready. */
  status: "ready";
}

/** A failed task of some project. */
export interface RecentFailure {
  /** Id of the event. */
  id: string;
  /** When the task failed. */
  occurred_at: string;
  /** Id of the project. */
  project_id: string;
  /** Slug of the project. */
  project_slug: string;
  /** Name of the project. */
  project_name: string;
  /** Name of the engine. */
  engine: string;
  /** Id of the task in its engine. */
  task_id: string;
  /** Function or job name; null when not reported. */
  task_name: string | null;
  /** Worker that ran it; null when not reported. */
  worker: string | null;
  /** First 2000 characters. */
  exception: string | null;
  /** Urgency, from critical to low. */
  priority: string;
}

/** One page of failures. */
export interface RecentFailurePage {
  items: RecentFailure[];
  /** Pass it as `cursor` to get the next page; null on the last page. */
  next_cursor: string | null;
}

/** New recovery codes, shown only here. */
export interface RecoveryCodes {
  /** Each replaces one code of the app and works once. */
  recovery_codes: string[];
}

/** A release and the time of its first event. */
export interface ReleaseMark {
  /** Version of the application. */
  release: string;
  /** Time of its first event. */
  first_seen: string;
}

/** Releases first seen in the range. */
export interface ReleasePage {
  /** The newest 200, in order of time. */
  items: ReleaseMark[];
}

/** How the fire ended; skipped when it must not run any more. */
export const resolutions = [
  "completed",
  "failed",
  "cancelled",
  "timeout",
  "skipped",
] as const;
export type Resolution = (typeof resolutions)[number];

/** A fire that an operator ended. */
export interface ResolvedFire {
  /** already_resolved: the fire had this status before, and nothing changed. */
  disposition: "resolved" | "already_resolved";
  schedule: Schedule;
  fire: Fire;
}

export interface RestartWorkerBody {
  /** Agent that carries it out. */
  agent_id: string;
  /** Name that the engine gives the worker. */
  worker_name: string;
  /** Required when the agent serves several engines. */
  engine?: string | null;
  /** Repeating a request with the same key and body returns the existing command. */
  idempotency_key?: string | null;
}

export interface RetryTaskBody {
  /** By default the agent that last reported the task, if eligible, otherwise another eligible agent. */
  agent_id?: string | null;
  /** Name of the engine. */
  engine: string;
  /** Id that the engine gave the task, or its row id. */
  task_id: string;
  /** Repeating a request with the same key and body returns the existing command. */
  idempotency_key?: string | null;
  /** Only together with override_kwargs; at most 64 KiB as JSON. */
  override_args?: unknown[] | null;
  /** Only together with override_args. */
  override_kwargs?: Record<string, unknown> | null;
  /** Delay in seconds; 0 runs immediately. */
  eta_seconds?: number | null;
}

/** Number of sessions or keys that were ended. */
export interface RevokedCount {
  /** Number of sessions or keys that this request ended. */
  revoked: number;
}

/** Whether the session was ended by this request. */
export interface RevokedOne {
  /** Whether this request ended it. */
  revoked: boolean;
}

/** Filters of the task list under a name. */
export interface SavedView {
  /** Id of the view. */
  id: string;
  /** Unique among the views of the user in the project. */
  name: string;
  filters: SavedViewFilters;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
}

export interface SavedViewBody {
  /** 1 to 80 characters once trimmed. */
  name: string;
  /** What the view filters by; absent, null or empty members do not filter. */
  filters: {
    /** Tasks in this state. */
    state?: TaskState | null;
    /** Tasks with one of these priorities. */
    priority?: Priority[] | null;
    /** Literal text in the name, queue, worker or task id, case-insensitive. */
    search?: string | null;
    /** Exact queue name. */
    queue?: string | null;
    /** Literal text in the task name. */
    name?: string | null;
    /** Exact worker name. */
    worker?: string | null;
    /** Name of the engine. */
    engine?: string | null;
    /** Query language, see `q` of the task list. */
    q?: string | null;
  };
}

/** What the view filters by. Members that do not filter are absent. */
export interface SavedViewFilters {
  state?: TaskState;
  /** Tasks with one of these priorities. */
  priority?: Priority[];
  /** Literal text in the name, queue, worker or task id, case-insensitive. */
  search?: string;
  /** Exact queue name. */
  queue?: string;
  /** Literal text in the task name. */
  name?: string;
  /** Exact worker name. */
  worker?: string;
  /** Name of the engine. */
  engine?: string;
  /** Query language, see `q` of the task list. */
  q?: string;
}

/** All saved views of the caller in the project. */
export interface SavedViewPage {
  items: SavedView[];
}

/** A schedule: when which task is started, with what arguments. */
export interface Schedule {
  /** Id of the schedule. */
  id: string;
  /** Project that it belongs to. */
  project_id: string;
  /** Who fires it: `svc-scheduler`, or the scheduler of an engine. */
  scheduler: string;
  /** Engine that runs its task. */
  engine: string;
  /** Unique in its project and scheduler. */
  name: string;
  /** Name of the task that it starts. */
  task_name: string;
  kind: ScheduleKind;
  /** When it fires, written as its kind requires. */
  expression: string;
  /** IANA time zone of the expression. */
  timezone: string;
  /** Queue of its tasks; null for the default of the engine. */
  queue: string | null;
  priority: Priority;
  /** Positional arguments of its tasks. */
  args: unknown[];
  /** Named arguments of its tasks. */
  kwargs: Record<string, unknown>;
  catch_up: CatchUpPolicy;
  overlap_policy: OverlapPolicy;
  /** Whether it fires. */
  is_enabled: boolean;
  /** Where its definition comes from, such as dashboard or imported. */
  source: string;
  /** Hash of the definition at its source; null without one. */
  source_hash: string | null;
  /** A fire whose task starts later than this after its slot is a misfire; null for no limit. */
  late_start_seconds: number | null;
  /** A task that runs longer than this is a misfire; null for no limit. */
  long_run_seconds: number | null;
  /** When it fires, in words; null for an expression that is not understood. */
  description: string | null;
  /** Slot of the last fire; null before the first. */
  last_run_at: string | null;
  /** Next slot; null when none follows, and while it is disabled, paused or quarantined. */
  next_run_at: string | null;
  /** How many times it fired. */
  total_runs: number;
  /** Failed fires in a row, counting back from the newest one; null in answers to changes. */
  consecutive_failures: number | null;
  /** Slots that were skipped in the last 24 hours. */
  skipped_slots_24h: number;
  /** Id in the scheduler of the engine; null for `svc-scheduler`. */
  external_id: string | null;
  /** Since when an operator holds it; null when it is not paused. */
  paused_at: string | null;
  /** Why it cannot be fired; null while it is not quarantined. */
  quarantine_code: string | null;
  /** Details of the quarantine; null while it is not quarantined. */
  quarantine_detail: string | null;
  /** Since when it is quarantined; null while it is not. */
  quarantined_at: string | null;
  /** Changes with each change of its definition or control. */
  control_token: string;
  /** Number of its last change, in the order of all changes. */
  schedule_revision: number;
  /** When it was created. */
  created_at: string;
  /** When its definition or control last changed. */
  updated_at: string;
}

export interface ScheduleChanges {
  /** Unique in its project and scheduler. */
  name?: string;
  /** Engine that runs its task, such as bullmq. */
  engine?: string;
  kind?: ScheduleKind;
  /** When it fires, written as its kind requires. */
  expression?: string;
  /** Name of the task that it starts. */
  task_name?: string;
  /** IANA time zone of the expression; UTC. */
  timezone?: string;
  /** Queue of its tasks; null or empty for the default of the engine. */
  queue?: string | null;
  priority?: Priority;
  /** Positional arguments of its tasks, at most 64 KiB as JSON. */
  args?: unknown[];
  /** Named arguments of its tasks, at most 64 KiB as JSON; names beginning with `__svc_` are reserved. */
  kwargs?: Record<string, unknown>;
  catch_up?: CatchUpPolicy;
  overlap_policy?: OverlapPolicy;
  /** Whether it fires; true for a new one. */
  is_enabled?: boolean;
  /** Hash of the definition at its source; null for none. */
  source_hash?: string | null;
  /** Limit after which a late start is a misfire, in seconds; null for no limit. */
  late_start_seconds?: number | null;
  /** Limit after which a long run is a misfire, in seconds; null for no limit. */
  long_run_seconds?: number | null;
}

export interface ScheduleCreate {
  /** Unique in its project and scheduler. */
  name: string;
  /** Engine that runs its task, such as bullmq. */
  engine: string;
  kind: ScheduleKind;
  /** When it fires, written as its kind requires. */
  expression: string;
  /** Name of the task that it starts. */
  task_name: string;
  /** IANA time zone of the expression; UTC. */
  timezone?: string;
  /** Queue of its tasks; null or empty for the default of the engine. */
  queue?: string | null;
  priority?: Priority;
  /** Positional arguments of its tasks, at most 64 KiB as JSON. */
  args?: unknown[];
  /** Named arguments of its tasks, at most 64 KiB as JSON; names beginning with `__svc_` are reserved. */
  kwargs?: Record<string, unknown>;
  catch_up?: CatchUpPolicy;
  overlap_policy?: OverlapPolicy;
  /** Whether it fires; true for a new one. */
  is_enabled?: boolean;
  /** Hash of the definition at its source; null for none. */
  source_hash?: string | null;
  /** Limit after which a late start is a misfire, in seconds; null for no limit. */
  late_start_seconds?: number | null;
  /** Limit after which a long run is a misfire, in seconds; null for no limit. */
  long_run_seconds?: number | null;
  /** Who fires it; null for the default of the project. Schedules of other schedulers than `svc-scheduler` are defined there. */
  scheduler?: string | null;
  /** Where its definition comes from; dashboard. */
  source?: string;
}

/** A schedule with its next slots and what was requested. */
export interface ScheduleDetail {
  /** Id of the schedule. */
  id: string;
  /** Project that it belongs to. */
  project_id: string;
  /** Who fires it: `svc-scheduler`, or the scheduler of an engine. */
  scheduler: string;
  /** Engine that runs its task. */
  engine: string;
  /** Unique in its project and scheduler. */
  name: string;
  /** Name of the task that it starts. */
  task_name: string;
  kind: ScheduleKind;
  /** When it fires, written as its kind requires. */
  expression: string;
  /** IANA time zone of the expression. */
  timezone: string;
  /** Queue of its tasks; null for the default of the engine. */
  queue: string | null;
  priority: Priority;
  /** Positional arguments of its tasks. */
  args: unknown[];
  /** Named arguments of its tasks. */
  kwargs: Record<string, unknown>;
  catch_up: CatchUpPolicy;
  overlap_policy: OverlapPolicy;
  /** Whether it fires. */
  is_enabled: boolean;
  /** Where its definition comes from, such as dashboard or imported. */
  source: string;
  /** Hash of the definition at its source; null without one. */
  source_hash: string | null;
  /** A fire whose task starts later than this after its slot is a misfire; null for no limit. */
  late_start_seconds: number | null;
  /** A task that runs longer than this is a misfire; null for no limit. */
  long_run_seconds: number | null;
  /** When it fires, in words; null for an expression that is not understood. */
  description: string | null;
  /** Slot of the last fire; null before the first. */
  last_run_at: string | null;
  /** Next slot; null when none follows, and while it is disabled, paused or quarantined. */
  next_run_at: string | null;
  /** How many times it fired. */
  total_runs: number;
  /** Failed fires in a row, counting back from the newest one; null in answers to changes. */
  consecutive_failures: number | null;
  /** Slots that were skipped in the last 24 hours. */
  skipped_slots_24h: number;
  /** Id in the scheduler of the engine; null for `svc-scheduler`. */
  external_id: string | null;
  /** Since when an operator holds it; null when it is not paused. */
  paused_at: string | null;
  /** Why it cannot be fired; null while it is not quarantined. */
  quarantine_code: string | null;
  /** Details of the quarantine; null while it is not quarantined. */
  quarantine_detail: string | null;
  /** Since when it is quarantined; null while it is not. */
  quarantined_at: string | null;
  /** Changes with each change of its definition or control. */
  control_token: string;
  /** Number of its last change, in the order of all changes. */
  schedule_revision: number;
  /** When it was created. */
  created_at: string;
  /** When its definition or control last changed. */
  updated_at: string;
  /** Next slots; only with `preview`. */
  next_runs?: string[];
  /** Request to the scheduler of its engine that is not confirmed yet; null without one. */
  pending_operation: ExternalControlOperation | null;
}

/** What an import would do. */
export interface ScheduleDiff {
  /** Schedules that would be created. */
  inserted: ScheduleDifference[];
  /** Schedules that would be changed. */
  updated: ScheduleDifference[];
  /** Schedules that already are as given, by name only. */
  unchanged: ScheduleDifference[];
  /** Schedules that would be deleted. */
  deleted: ScheduleDifference[];
  summary: ScheduleImportSummary;
  /** Why entries are refused, by their place in the list from 0. */
  errors: Record<string, unknown>;
}

/** A schedule as it would be, and as it is. Very large ones are left out. */
export interface ScheduleDifference {
  /** Name of the schedule. */
  name: string;
  /** Who fires it. */
  scheduler: string;
  proposed?: Schedule;
  current?: Schedule;
}

/** What the schedules of a project will fire. */
export interface ScheduleForecast {
  /** When it was computed; it begins then. */
  from: string;
  /** Its end, which is not included. */
  to: string;
  /** Time zone of the hours: that of the project. */
  timezone: string;
  /** Schedules in it: those of this service that are enabled, not paused and not quarantined. */
  schedule_count: number;
  /** Every hour, from the current one on; an hour that clocks skip is absent. */
  hours: {
    /** When the hour starts. */
    starts_at: string;
    /** Day in the time zone, as 2026-03-29. */
    date: string;
    /** Hour on clocks in the time zone, 0 to 23; an hour that occurs twice is there twice. */
    hour: number;
    /** Slots in it. */
    fires: number;
  }[];
  /** The quarters of an hour of the next day, from the current one on: 96. */
  quarters: {
    /** When the quarter of an hour starts. */
    starts_at: string;
    /** Slots in it. */
    fires: number;
    /** Schedules that fire in its busiest minute. */
    most_per_minute: number;
  }[];
  /** Minutes in which several schedules fire, at most 50: those with the most schedules, then the earliest. */
  collisions: {
    /** When the minute starts. */
    at: string;
    /** Schedules with a slot in it. */
    schedule_count: number;
    /** Some of them. */
    schedules: {
      /** Id of the schedule. */
      id: string;
      /** Name of the schedule. */
      name: string;
    }[];
    /** A change of one of its schedules after which that fires in no minute with another; null if there is none, or if not everything was counted. */
    move: {
      /** The schedule that can be moved. */
      schedule_id: string;
      /** The same cron expression at another minute of the hour. */
      expression: string;
      /** The minute to which it moves this one. */
      at: string;
    } | null;
  }[];
  /** Whether there is more than it counts; the numbers are then too small. */
  is_capped: boolean;
}

export interface ScheduleImport {
  /** Schedules, checked one by one; `catch_up` defaults to skip and `source` to imported. `is_enabled` and the limits of existing ones stay as they are when absent. */
  schedules: ScheduleCreate[];
  /** Upsert: creates and changes schedules by name. replace_for_source: also deletes the schedules of `source_filter` that are not in the list. */
  mode: "upsert" | "replace_for_source";
  /** Source whose other schedules are deleted; only for replace_for_source. */
  source_filter?: string | null;
}

/** What an import did. */
export interface ScheduleImportReport {
  /** Created schedules. */
  inserted: number;
  /** Changed schedules. */
  updated: number;
  /** Schedules that already are as given. */
  unchanged: number;
  /** Refused entries. */
  failed: number;
  /** Deleted schedules. */
  deleted: number;
  /** Why entries are refused, by their place in the list from 0. */
  errors: Record<string, unknown>;
}

/** The same as numbers. */
export interface ScheduleImportSummary {
  /** Created schedules. */
  inserted: number;
  /** Changed schedules. */
  updated: number;
  /** Schedules that already are as given. */
  unchanged: number;
  /** Refused entries. */
  failed: number;
  /** Deleted schedules. */
  deleted: number;
}

/** How the expression is read. cron: five fields, or six with seconds last; interval: whole seconds; clocked: one date and time; solar: `event:latitude:longitude`. */
export const scheduleKinds = [
  "cron",
  "interval",
  "clocked",
  "solar",
] as const;
export type ScheduleKind = (typeof scheduleKinds)[number];

/** One page of schedules, by name. */
export interface SchedulePage {
  /** Failed fires in a row after which a schedule is disabled; 0 when none is. */
  circuit_breaker_threshold: number;
  items: Schedule[];
  /** Pass it as `cursor` to get the next page; null on the last page. */
  next_cursor: string | null;
}

/** What an expression means. */
export interface SchedulePreview {
  /** When it fires, in words. */
  description: string;
  /** Next slots, from now on. */
  next_runs: string[];
  /** Changes of clocks in the next year that move or repeat a slot. */
  warnings: {
    kind: ClockWarningKind;
    /** When clocks change. */
    at: string;
    /** The affected time on clocks, as 2026-03-29T02:30:00. */
    local_time: string;
  }[];
  /** Minutes of the next slots in which other schedules fire as well. */
  same_minute: {
    /** When the minute starts. */
    at: string;
    /** Other schedules with a slot in it. */
    schedule_count: number;
    /** Some of them. */
    schedules: {
      /** Id of the schedule. */
      id: string;
      /** Name of the schedule. */
      name: string;
    }[];
  }[];
  /** A change after which no other schedule fires in the minutes of its next slots; null if there is none, if none is needed, or if other schedules were left out. */
  move: {
    /** The same cron expression at another minute of the hour. */
    expression: string;
    /** The minute to which it moves this one. */
    at: string;
  } | null;
  /** Whether other schedules were left out, because there are too many. */
  is_capped: boolean;
}

/** Whom a resync reaches. */
export interface ScheduleResync {
  /** Agents that were asked to report their schedules. */
  agents_dispatched: number;
  /** Names of the schedulers that they serve. */
  schedulers_observed: string[];
}

/** The newest fires of several schedules. */
export interface ScheduleRuns {
  /** Failed fires in a row after which a schedule is disabled; 0 when none is. */
  circuit_breaker_threshold: number;
  /** In the order of the request; without schedules of other projects. */
  items: {
    /** Schedule of the fires. */
    schedule_id: string;
    /** Newest first. */
    fires: {
      /** Identifies the fire; the same for every retry of a slot. */
      fire_id: string;
      status: FireStatus;
      /** Its slot. */
      scheduled_for: string;
      /** When the service recorded it. */
      fired_at: string;
      /** Milliseconds from dispatch to acknowledgement. */
      latency_ms: number | null;
      /** Kind of failure. */
      error_code: string | null;
    }[];
  }[];
}

/** One scheduler. */
export interface Scheduler {
  /** Its address; `embedded` for one inside the service that does not run. */
  url: string;
  /** Whether it answered and receives changes. */
  ok: boolean;
  /** What it reported; null when it did not answer. */
  info: SchedulerInfo | null;
  /** Why it is not ok; null when it is. */
  error: string | null;
}

/** What a scheduler reports about itself. Newer schedulers may report more. */
export interface SchedulerInfo {
  /** Version of the scheduler. */
  version: string;
  /** Name of the process. */
  instance_id: string;
  /** Whether it fires, rather than waiting to take over. */
  leader: boolean;
  /** Projects with schedules that it knows. */
  projects: number;
  /** Schedules that it knows. */
  schedules: number;
  /** Whether it receives changes; it fires only then. */
  watch_healthy: boolean;
  /** Version of its calendar and time-zone data; it must be that of the service. */
  cadence_fingerprint: string;
  /** Its lag: for how long the oldest slot that it has not fired is due; 0 when none is. */
  oldest_due_seconds?: number;
}

/** The schedulers of this service. */
export interface SchedulerList {
  /** The embedded one first, then in the order of the settings. */
  schedulers: Scheduler[];
  /** Number of schedulers. */
  total: number;
  /** Number of schedulers that are ok. */
  healthy: number;
}

/** The scopes that API keys can have. */
export interface ScopeCatalogue {
  /** All scopes. */
  scopes: string[];
  admin_only: string[];
}

/** One page of security events. */
export interface SecurityHistoryPage {
  items: AccountNotice[];
  /** Pass it as `cursor` to get the next page; null on the last page. */
  next_cursor: string | null;
}

/** When the session ends. */
export interface SessionLimits {
  /** When it ends if it is not used; null for a remembered session, which has no idle limit. */
  idle_expires_at: string | null;
  /** When it ends, even when it is in use. */
  expires_at: string;
}

/** One setting. */
export interface SettingRow {
  /** Name of the variable. */
  name: string;
  /** Lists and objects are JSON, a missing value is empty, secrets are ***. */
  value: string;
  /** A file path, environment, default or unset. */
  source: string;
  /** Whether the value is hidden. */
  is_secret: boolean;
  /** Purpose of the setting. */
  description: string;
}

/** The first administrator and the first project. */
export interface SetupDone {
  user: UserPublic;
  /** Id of the first project. */
  project_id: string;
}

export interface SetupRequest {
  /** From the one-time link that the service printed. */
  token: string;
  /** Address that the administrator signs in with. */
  email: string;
  /** Name shown to others. */
  display_name?: string | null;
  /** Must meet the password policy. */
  password: string;
}

/** Whether the setup is open. */
export interface SetupStatus {
  /** True until the first account exists. */
  first_boot: boolean;
}

/** Task names by the 95th percentile of their run times, greatest first. */
export interface SlowestNames {
  /** Start of the first whole minute, hour or day that is counted. */
  since: string;
  /** End of the range. */
  until: string;
  /** Start of the preceding range, which ends at `since`. */
  previous_since: string;
  /** Slowest first. */
  items: {
    /** Function or job name. */
    name: string;
    run: Percentiles;
    /** Tasks with this name that failed in the range. */
    failed: number;
    previous: Percentiles | null;
  }[];
}

/** Exactly one of password and code. */
export interface StepUp {
  /** Password of the account. */
  password?: string;
  /** Code of the authenticator app, or a recovery code. */
  code?: string;
}

/** Versions of the service, its runtime and its database. */
export interface SystemFacts {
  /** Version of the service. */
  svc_version: string;
  /** Always node. */
  runtime: string;
  /** Version of Node.js. */
  runtime_version: string;
  /** Name and release of the operating system. */
  os: string;
  /** Architecture of the processor. */
  architecture: string;
  /** Id of the answering process. */
  pid: number;
  /** Sqlite or postgres. */
  database_type: string;
  /** Version of the database. */
  database_version: string;
  /** Size of the database in MB; absent when unknown. */
  database_size_mb?: number;
  /** Versions of the packages that the service uses, by name. */
  packages: Record<string, string>;
}

/** One job of an engine. */
export interface Task {
  /** Id of the row, derived from project, engine and task_id. */
  id: string;
  /** Project that it belongs to. */
  project_id: string;
  /** Name of the engine. */
  engine: string;
  /** Id of the task in its engine. */
  task_id: string;
  /** Function or job name that the engine runs; `unknown` until an event names it. */
  name: string;
  /** Queue that it was sent to; null when not reported. */
  queue: string | null;
  state: TaskState;
  priority: Priority;
  /** Positional arguments, redacted. */
  args: unknown[];
  /** Named arguments, redacted. */
  kwargs: Record<string, unknown>;
  /** What a successful run returned, redacted; null without a result. */
  result: unknown;
  /** Error class and message of the failure, retry or rejection that its state comes from; null in other states. */
  exception: string | null;
  /** Stack trace of that failure or retry; null in other states. */
  traceback: string | null;
  /** Known retries over all attempts. */
  retry_count: number;
  /** Number of earlier attempts. */
  attempt: number;
  /** Attempts after which the engine gives up; null when not reported. */
  max_attempts: number | null;
  /** It does not start before this time. */
  eta: string | null;
  /** Time of its earliest event. */
  received_at: string;
  /** Start of the current attempt; null before it starts. */
  started_at: string | null;
  /** End of the current attempt; null until it ends. */
  finished_at: string | null;
  /** Run time as measured by the engine; null until it succeeds or fails, or when not reported. */
  runtime_ms: number | null;
  /** Time that this attempt waited in the queue; null when not reported. */
  wait_ms: number | null;
  /** Worker that last received it; null when not reported. */
  worker_name: string | null;
  /** task_id of the task that created it; null without one. */
  parent_task_id: string | null;
  /** task_id of the first task of its tree; null without one. */
  root_task_id: string | null;
  /** Labels from the application, at most 32. */
  tags: string[];
  /** Version of the application that ran it; null when not reported. */
  release: string | null;
  /** W3C trace context; null when not reported. */
  traceparent: string | null;
  /** Shared by similar failures; from its last failure, even if retried since. */
  fingerprint: string | null;
  /** task_id of the task that this one retries; null without one. */
  retry_of: string | null;
  /** task_id of its latest retry; null without one. */
  retried_as: string | null;
  /** Time of its latest event. */
  last_event_at: string;
  /** When the service stored its first event. */
  created_at: string;
  /** When the row last changed. */
  updated_at: string;
}

/** One cause with its evidence. */
export interface TaskCause {
  code: TaskCauseCode;
  /** One or two sentences; the wording may change between versions. */
  message: string;
  /** Supporting facts; the keys depend on the code. */
  evidence: Record<string, unknown>;
  /** When the cause began; absent when unknown. */
  since?: string;
}

/** Kind of the cause; use this in programs. */
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

/** A command that acts on a task, with who requested it. */
export interface TaskCommand {
  /** Id of the command. */
  id: string;
  /** Id of the user; null for viewers and auditors, for a deleted account, and for commands of the service itself. */
  issued_by: string | null;
  /** Agent that receives it. */
  agent_id: string | null;
  action: CommandAction;
  /** Whether it may be sent several times, because repeating it is harmless; then `dispatched_at` is null again after a failed send, although the agent may have received it. */
  is_repeatable: boolean;
  status: CommandStatus;
  /** Why it did not complete; null otherwise. */
  error: string | null;
  /** When it was requested. */
  issued_at: string;
  /** When it was sent; null until then. */
  dispatched_at: string | null;
  /** When it reached a final status; null until then. */
  completed_at: string | null;
  /** Email address of that user; null where `issued_by` is null. */
  issuer_email: string | null;
  /** Name of that user; null without one. */
  issuer_display_name: string | null;
  /** Name of the API key of the request; null without one, for viewers and auditors, and after the key was deleted. */
  api_key_name: string | null;
  /** Bulk retry that sent it; null without one, and for viewers and auditors. */
  bulk_retry_id: string | null;
}

export interface TaskCommandBody {
  /** By default the agent that last reported the task, if eligible, otherwise another eligible agent. */
  agent_id?: string | null;
  /** Name of the engine. */
  engine: string;
  /** Id that the engine gave the task, or its row id. */
  task_id: string;
  /** Repeating a request with the same key and body returns the existing command. */
  idempotency_key?: string | null;
}

/** One page of the commands of a task. */
export interface TaskCommandPage {
  items: TaskCommand[];
  /** Pass it as `cursor` to get the next page; null on the last page. */
  next_cursor: string | null;
}

export interface TaskDelete {
  /** Ids of rows (`Task.id`); cannot be combined with filters. */
  task_ids?: string[] | null;
  /** Only tasks in this state. */
  filter_state?: TaskState | null;
  /** Only tasks with one of these priorities. */
  filter_priority?: Priority[] | null;
  /** Only tasks with this literal text in name, queue, worker or task id; ignores case. */
  filter_search?: string | null;
  /** Only tasks with this literal, case-sensitive text in their name. */
  filter_name?: string | null;
  /** Only tasks with exactly this queue. */
  filter_queue?: string | null;
  /** Only tasks with exactly this worker. */
  filter_worker?: string | null;
  /** Only tasks received at or after this time. */
  filter_since?: string | null;
  /** Only tasks received at or before this time. */
  filter_until?: string | null;
}

/** Values that differ between failed and passed tasks of the same names in the same time span. */
export interface TaskDifferences {
  /** Time span of both sides. */
  span: {
    /** Start of the span. */
    from: string;
    /** End of the span. */
    to: string;
  };
  /** Maximum tasks per side and hour: a 24th of 2000 when the span is longer than two hours. */
  per_hour_cap: number;
  /** Failed tasks that were compared, at most 2000. */
  failed: number;
  /** Passed tasks of the same names that were compared, at most 2000. */
  passed: number;
  /** Whether the span has more tasks on either side; then an even sample over its hours is compared. */
  sampled: boolean;
  /** Number of distinct releases among the compared tasks. */
  releases: number;
  /** Whether more than one release ran in some hour; releases are compared only over such hours. */
  release_overlap: boolean;
  /** Values in at least 5 failed tasks with a gap of at least 20 points; greatest difference first, at most 10. */
  attributes: {
    /** Worker, queue, priority, release, args.… or kwargs.… */
    field: string;
    /** Value of the field. */
    value: string;
    /** Share of the failed tasks that have it; for a release, of those in hours with more than one release. */
    failed_share: number;
    /** Share of the passed tasks that have it; for a release, of those in hours with more than one release. */
    passed_share: number;
  }[];
}

/** One step in the life of a task or a worker, as an agent reported it. */
export interface TaskEvent {
  /** Id of the event: from the agent, or derived from its content when that id is missing or invalid. */
  id: string;
  /** Project that it belongs to. */
  project_id: string;
  /** Agent that reported it. */
  agent_id: string;
  /** Name of the engine. */
  engine: string;
  /** Id that the engine gave the task; empty when the event is not about a task. */
  task_id: string;
  kind: EventKind;
  /** When it happened, by the clock of the engine or agent. */
  occurred_at: string;
  /** Payload of the event as reported by the agent, redacted. */
  payload: Record<string, unknown>;
}

/** The likely causes why a task is not running. */
export interface TaskExplanation {
  state: TaskState;
  /** Most likely first. */
  causes: TaskCause[];
}

/** Counts of tasks over time. */
export interface TaskHistogram {
  /** Start of the first bucket, which may be before `since`. */
  from: string;
  /** End of the range. */
  to: string;
  /** False when counting ran out of time; buckets that start before `reached` are incomplete. */
  exact: boolean;
  /** Oldest time that was counted; null when complete. */
  reached: string | null;
  /** Events: finished and retried tasks at the time of the event; tasks: the tasks of the list, in their current state, by received_at. */
  counted: "events" | "tasks";
  /** Width of a bucket. */
  bucket_seconds: number;
  /** Oldest first. */
  buckets: {
    /** Start of the bucket. */
    t: string;
    /** Successes. */
    success: number;
    /** Failures. */
    failure: number;
    /** All other counted tasks. */
    other: number;
  }[];
}

/** One page of tasks. */
export interface TaskPage {
  items: Task[];
  /** Pass it as `cursor` to get the next page; null on the last page. */
  next_cursor: string | null;
  /** Null unless requested, or when counting takes too long. */
  total_count: number | null;
  /** Present when the search ran out of time: it covered everything down to `reached`, and `cursor` continues from there. */
  partial?: {
    /** received_at of the last task that was searched. */
    reached: string;
    /** Pass it as `cursor` to continue the search. */
    cursor: string;
  };
}

/** Pending: sent; received: taken by a worker; started: running; retry: failed and to be run again; success, failure, revoked, rejected: ended; unknown: reached by no event, only by restored rows. */
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
  /** task_id of the first task of the tree. */
  root_task_id: string;
  /** Number of tasks in the tree, at most 500. */
  node_count: number;
  /** Whether the tree has more than 500 tasks; the first 500 are shown. */
  truncated: boolean;
  nodes: TaskTreeNode[];
}

/** One task of a tree. */
export interface TaskTreeNode {
  /** Name of the engine. */
  engine: string;
  /** Id of the task in its engine. */
  task_id: string;
  /** Function or job name that the engine runs. */
  name: string;
  state: TaskState;
  /** task_id of the task that created it; null without one. */
  parent_task_id: string | null;
  /** task_id of the first task of the tree; null for that task itself. */
  root_task_id: string | null;
  /** Time of its earliest event. */
  received_at: string | null;
  /** Start of the current attempt; null before it starts. */
  started_at: string | null;
  /** End of the current attempt; null until it ends. */
  finished_at: string | null;
}

/** The outcomes of one interval. */
export interface TrendBucket {
  /** Start of the interval. */
  t: string;
  /** Tasks that succeeded. */
  success: number;
  /** Tasks that failed. */
  failure: number;
  /** Retries. */
  retry: number;
  /** Tasks that were revoked. */
  revoked: number;
  /** Tasks that were rejected. */
  rejected: number;
  /** Sum of these: finished tasks and retries. */
  total: number;
  /** Mean run time; null without any. */
  avg_runtime_ms: number | null;
}

/** Outcomes of tasks over time. */
export interface Trends {
  /** The requested window, or `custom` with since and until. */
  window: string;
  bucket: BucketWidth;
  series: TrendBucket[];
}

/** A schedule that is run once. */
export interface TriggeredSchedule {
  /** Id of the schedule. */
  id: string;
  /** Project that it belongs to. */
  project_id: string;
  /** Who fires it: `svc-scheduler`, or the scheduler of an engine. */
  scheduler: string;
  /** Engine that runs its task. */
  engine: string;
  /** Unique in its project and scheduler. */
  name: string;
  /** Name of the task that it starts. */
  task_name: string;
  kind: ScheduleKind;
  /** When it fires, written as its kind requires. */
  expression: string;
  /** IANA time zone of the expression. */
  timezone: string;
  /** Queue of its tasks; null for the default of the engine. */
  queue: string | null;
  priority: Priority;
  /** Positional arguments of its tasks. */
  args: unknown[];
  /** Named arguments of its tasks. */
  kwargs: Record<string, unknown>;
  catch_up: CatchUpPolicy;
  overlap_policy: OverlapPolicy;
  /** Whether it fires. */
  is_enabled: boolean;
  /** Where its definition comes from, such as dashboard or imported. */
  source: string;
  /** Hash of the definition at its source; null without one. */
  source_hash: string | null;
  /** A fire whose task starts later than this after its slot is a misfire; null for no limit. */
  late_start_seconds: number | null;
  /** A task that runs longer than this is a misfire; null for no limit. */
  long_run_seconds: number | null;
  /** When it fires, in words; null for an expression that is not understood. */
  description: string | null;
  /** Slot of the last fire; null before the first. */
  last_run_at: string | null;
  /** Next slot; null when none follows, and while it is disabled, paused or quarantined. */
  next_run_at: string | null;
  /** How many times it fired. */
  total_runs: number;
  /** Failed fires in a row, counting back from the newest one; null in answers to changes. */
  consecutive_failures: number | null;
  /** Slots that were skipped in the last 24 hours. */
  skipped_slots_24h: number;
  /** Id in the scheduler of the engine; null for `svc-scheduler`. */
  external_id: string | null;
  /** Since when an operator holds it; null when it is not paused. */
  paused_at: string | null;
  /** Why it cannot be fired; null while it is not quarantined. */
  quarantine_code: string | null;
  /** Details of the quarantine; null while it is not quarantined. */
  quarantine_detail: string | null;
  /** Since when it is quarantined; null while it is not. */
  quarantined_at: string | null;
  /** Changes with each change of its definition or control. */
  control_token: string;
  /** Number of its last change, in the order of all changes. */
  schedule_revision: number;
  /** When it was created. */
  created_at: string;
  /** When its definition or control last changed. */
  updated_at: string;
  /** Command that starts the task. */
  command_id: string;
  /** The fire; null for a schedule that an engine fires. */
  fire_id: string | null;
}

export interface TrustDevice {
  /** Name of the browser; its user agent by default. */
  label?: string;
}

/** A browser that needs no code. */
export interface TrustedDevice {
  /** Id of the trusted browser. */
  id: string;
  /** Name given by the user, or derived from the user agent. */
  label: string;
  /** When it was trusted. */
  created_at: string;
  /** Last sign-in without a code. */
  last_seen_at: string;
  /** When it needs a code again. */
  expires_at: string;
  /** When it was revoked; null while it is trusted. */
  revoked_at: string | null;
  /** Whether it is the browser of this request. */
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
  /** Facts of the error, by code. */
  details: Record<string, unknown>;
  /** Finds the request in the log. */
  request_id?: string;
  /** Only of some errors, for agents. */
  detail?: string;
  /** Always unready. */
  status: "unready";
  /** Starting: start-up is not finished; database: it does not answer; write_probe_failed, write_probe_stale: it does not accept writes. */
  reason: "starting" | "database" | "write_probe_failed" | "write_probe_stale";
}

/** A user as administrators see one. */
export interface UserAdminPublic {
  /** Id of the account. */
  id: string;
  /** Address that the user signs in with. */
  email: string;
  /** Given name; null without one. */
  first_name: string | null;
  /** Family name; null without one. */
  last_name: string | null;
  /** Name shown to others; null without one. */
  display_name: string | null;
  /** Whether the user administers the instance. */
  is_admin: boolean;
  /** IANA time zone of the user. */
  timezone: string;
  /** When the account was created. */
  created_at: string;
  /** False when the account cannot sign in. */
  is_active: boolean;
  /** When the account last changed. */
  updated_at: string;
  /** Last sign-in; null before the first. */
  last_login_at: string | null;
}

export interface UserChanges {
  /** Given name; null removes it. */
  first_name?: string | null;
  /** Family name; null removes it. */
  last_name?: string | null;
  /** Name shown to others; null removes it. */
  display_name?: string | null;
  /** IANA time zone of the user. */
  timezone?: string;
  /** Whether the user administers the instance. */
  is_admin?: boolean;
  /** False ends all sessions and blocks sign-in. */
  is_active?: boolean;
}

export interface UserCreate {
  /** Address that the user signs in with. */
  email: string;
  /** Must meet GET /auth/policy. */
  password: string;
  /** Given name; null removes it. */
  first_name?: string | null;
  /** Family name; null removes it. */
  last_name?: string | null;
  /** Name shown to others; null removes it. */
  display_name?: string | null;
  /** IANA time zone of the user. */
  timezone?: string;
  /** Whether the user administers the instance. */
  is_admin?: boolean;
}

/** A user. */
export interface UserPublic {
  /** Id of the account. */
  id: string;
  /** Address that the user signs in with. */
  email: string;
  /** Given name; null without one. */
  first_name: string | null;
  /** Family name; null without one. */
  last_name: string | null;
  /** Name shown to others; null without one. */
  display_name: string | null;
  /** Whether the user administers the instance. */
  is_admin: boolean;
  /** IANA time zone of the user. */
  timezone: string;
  /** When the account was created. */
  created_at: string;
}

/** One session of a user. */
export interface UserSession {
  /** Id of the session. */
  id: string;
  /** When the user signed in. */
  issued_at: string;
  /** Last request, recorded at most once a minute. */
  last_seen_at: string;
  /** When it ends, even when it is in use. */
  expires_at: string;
  /** Client address at sign-in; null when unknown. */
  ip_at_issue: string | null;
  /** Browser at sign-in; null when unknown. */
  user_agent_at_issue: string | null;
  /** Whether it is the session of this request. */
  is_current: boolean;
}

/** All sessions of the caller. */
export interface UserSessionPage {
  items: UserSession[];
}

/** A worker of an engine. */
export interface Worker {
  /** Id of the row. */
  id: string;
  /** Project that it belongs to. */
  project_id: string;
  /** Name of the engine. */
  engine: string;
  /** Name that the engine gives it; unique in project and engine. */
  name: string;
  /** Machine that it runs on; null when not reported. */
  hostname: string | null;
  /** Id of its process on that machine; null when not reported. */
  pid: number | null;
  /** Tasks that it can run at once; null when not reported. */
  concurrency: number | null;
  /** Queues that it consumes, as last reported. */
  queues: string[];
  /** Online or offline; the other values are reserved. */
  state: "online" | "offline" | "draining" | "unknown";
  /** When the worker last reported that it is online or offline; null when it never did. */
  state_reported_at: string | null;
  /** Time of the newest report or event from it; null before the first. */
  last_heartbeat: string | null;
  /** Load of its machine; null when not reported. */
  load_average: number | null;
  /** Memory that it uses; null when not reported. */
  memory_bytes: number | null;
  /** Tasks that it was running at its last report. */
  active_tasks: number;
  /** Tasks that finished in the last 24 full UTC hours and the current one. */
  processed: number;
  /** Failed tasks in the period of `processed`. */
  failed: number;
  /** Succeeded tasks in the period of `processed`. */
  succeeded: number;
  /** Retries in the period of `processed`. */
  retried: number;
  /** When the service first saw it. */
  created_at: string;
}

/** A worker with what its engine reported about it. */
export interface WorkerDetail {
  /** Id of the row. */
  id: string;
  /** Project that it belongs to. */
  project_id: string;
  /** Name of the engine. */
  engine: string;
  /** Name that the engine gives it; unique in project and engine. */
  name: string;
  /** Machine that it runs on; null when not reported. */
  hostname: string | null;
  /** Id of its process on that machine; null when not reported. */
  pid: number | null;
  /** Tasks that it can run at once; null when not reported. */
  concurrency: number | null;
  /** Queues that it consumes, as last reported. */
  queues: string[];
  /** Online or offline; the other values are reserved. */
  state: "online" | "offline" | "draining" | "unknown";
  /** When the worker last reported that it is online or offline; null when it never did. */
  state_reported_at: string | null;
  /** Time of the newest report or event from it; null before the first. */
  last_heartbeat: string | null;
  /** Load of its machine; null when not reported. */
  load_average: number | null;
  /** Memory that it uses; null when not reported. */
  memory_bytes: number | null;
  /** Tasks that it was running at its last report. */
  active_tasks: number;
  /** Tasks that finished in the last 24 full UTC hours and the current one. */
  processed: number;
  /** Failed tasks in the period of `processed`. */
  failed: number;
  /** Succeeded tasks in the period of `processed`. */
  succeeded: number;
  /** Retries in the period of `processed`. */
  retried: number;
  /** When the service first saw it. */
  created_at: string;
  /** `stats`, `active`, `active_queues`, `registered` and `conf` as its engine reports them, redacted. */
  metadata: Record<string, unknown>;
}

/** One page of workers. */
export interface WorkerPage {
  items: Worker[];
  /** Pass it as `cursor` to get the next page; null on the last page. */
  next_cursor: string | null;
}

export interface GetAgentFileQuery {
  /** Version of the agent; if it matches the served one, the answer may be cached for a year. */
  version?: string;
}

export interface ListActivityQuery {
  /** 1 to 200, default 50; values below 1 mean the default, above 200 mean 200. */
  limit?: number;
  /** Only rows newer than this `<iso>|<id>`. */
  since_cursor?: string;
  /** Only rows older than this `<iso>|<id>`. */
  before_cursor?: string;
  /** Only rows of this project; an unknown one gives an empty page. */
  project_slug?: string;
  /** Literal prefix of the action. */
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
  /** Slug of a project; only its failures. */
  project?: string;
  /** Start of the range. */
  since?: string;
  /** End of the range. */
  until?: string;
}

export interface ListProjectsQuery {
  /** Include archived projects. */
  include_archived?: boolean;
}

export interface ListAgentProcessesQuery {
  /** Only processes in this state. */
  state?: string;
  /** Only processes with this role. */
  role?: string;
  /** Maximum number of rows. */
  limit?: number;
}

export interface ListAuditQuery {
  /** next_cursor of the previous page. */
  cursor?: string;
  /** Page size; absent, 0 or less means the default, more is clamped. */
  limit?: number;
  /** Literal prefix of the action. */
  action_prefix?: string;
  /** Only rows with this outcome, such as allow or deny. */
  outcome?: string;
  /** Only rows of this user. */
  user_id?: string;
  /** Id of the target, such as a command. */
  target_id?: string;
  /** Start of the range. */
  since?: string;
  /** End of the range. */
  until?: string;
  /** Export all matching rows instead of a page. */
  format?: "csv" | "json" | "xlsx";
  /** Columns of an export, separated by commas. */
  fields?: string;
}

export interface ListBulkRetriesQuery {
  /** next_cursor of the previous page. */
  cursor?: string;
  /** Page size; absent, 0 or less means the default, more is clamped. */
  limit?: number;
  /** Only the bulk retry that sent this command. */
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
  /** Only commands with this status; unknown values are ignored. */
  status?: string;
  /** Only commands of this agent. */
  agent_id?: string;
  /** Only commands with this action. */
  action?: string;
  /** True to leave out the commands of bulk retries. */
  without_bulk_retries?: boolean;
}

export interface GetCompletenessQuery {
  /** Start of the range. */
  since?: string;
  /** End of the range. */
  until?: string;
}

export interface ListDeadLettersQuery {
  /** Name of the engine. */
  engine: string;
  /** Name of the queue; absent or empty for every queue that the adapter knows. */
  queue?: string;
  /** Default 100. */
  limit?: number;
  /** next_cursor of the previous page; send the agent_id of that page with it. */
  cursor?: string;
  /** Agent to load from; by default the most recently seen agent that can list dead letters. */
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
  /** Field whose values are counted. */
  field: FacetField;
  /** Literal, case-sensitive prefix of the values; for autocompletion. */
  prefix?: string;
  /** Number of values, greatest count first; default 20. */
  limit?: number;
  /** Only tasks in this state. */
  state?: TaskState;
  /** Comma-separated priorities. */
  priority?: string;
  /** Literal, case-sensitive substring of the task name. */
  name?: string;
  /** Literal substring of name, queue, worker or task id; ignores case. */
  search?: string;
  /** Exact queue name. */
  queue?: string;
  /** Exact worker name. */
  worker?: string;
  /** Start of the range. */
  since?: string;
  /** End of the range. */
  until?: string;
  /** Query language, such as `state:failure args.user.id:123 -queue:mail runtime:>30s "timed out"`; every term must match, as must all other parameters. */
  q?: string;
}

export interface ListIssuesQuery {
  /** Only failures of this engine. */
  engine?: string;
  /** Ongoing: open_count is above 0; recovered: it is 0. */
  status?: "ongoing" | "recovered";
  /** Only this issue. */
  fingerprint?: string;
  /** Only failures of the last hours; overridden by since and until. */
  hours?: number;
  /** Start of the range. */
  since?: string;
  /** End of the range. */
  until?: string;
  /** last_seen (default): most recent failure first. occurrences: most frequent first, on one page without a cursor. */
  sort?: "last_seen" | "occurrences";
  /** Adds failures in 24 equal intervals of the range, by default the last 24 h. */
  trend?: boolean;
  /** next_cursor of the previous page. */
  cursor?: string;
  /** Default 50. */
  limit?: number;
}

export interface GetLatencyQuery {
  /** At least 1h when the range starts more than 48 h ago, because older counts are kept by the hour. */
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
  /** Maximum number of names; default 8. */
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

export interface ListSchedulesQuery {
  /** next_cursor of the previous page. */
  cursor?: string;
  /** Page size; absent, 0 or less means the default, more is clamped. */
  limit?: number;
}

export interface GetScheduleQuery {
  /** How many next slots to add; none when absent. */
  preview?: number;
}

export interface ListFiresQuery {
  /** Maximum fires; 100 by default, more than 1000 is clamped. */
  limit?: number;
}

export interface ListScheduleMisfiresQuery {
  /** Maximum misfires; 50 by default, more than 1000 is clamped. */
  limit?: number;
}

export interface GetScheduleForecastQuery {
  /** How many days, by the clocks of the project. */
  days?: number;
  /** Schedule that is edited; not counted. */
  schedule_id?: string;
}

export interface ListMisfiresQuery {
  /** Maximum misfires; 50 by default, more than 1000 is clamped. */
  limit?: number;
}

export interface PreviewScheduleQuery {
  /** How the expression is read. */
  kind: ScheduleKind;
  /** Expression of that kind. */
  expression: string;
  /** IANA time zone of the expression; UTC. */
  timezone?: string;
  /** How many next slots. */
  count?: number;
  /** Schedule that is edited; not compared with. */
  schedule_id?: string;
}

export interface ListScheduleRunsQuery {
  /** Schedules, at most 500; repeat the parameter. */
  id: string[];
  /** Maximum fires of each schedule; 20 by default. */
  limit?: number;
}

export interface GetStatsQuery {
  /** Default 24; overridden by since and until. Counts older than 48 h are kept by the UTC hour, and the first and last hour are counted whole. */
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
  /** Literal, case-sensitive substring of the task name. */
  name?: string;
  /** Literal substring of name, queue, worker or task id; ignores case. */
  search?: string;
  /** Exact queue name. */
  queue?: string;
  /** Exact worker name. */
  worker?: string;
  /** Start of the range. */
  since?: string;
  /** End of the range. */
  until?: string;
  /** Query language, such as `state:failure args.user.id:123 -queue:mail runtime:>30s "timed out"`; every term must match, as must all other parameters. */
  q?: string;
  /** next_cursor of the previous page; ignored by exports. */
  cursor?: string;
  /** Page size; clamped to the configured maximum. */
  limit?: number;
  /** Adds the exact `total_count`, which costs an extra count; ignored by exports. */
  include_total?: boolean;
  /** Export all matching tasks instead of a page. */
  format?: "csv" | "xlsx" | "json";
  /** Comma-separated columns of an export. */
  fields?: string;
}

export interface ListTaskCommandsQuery {
  /** next_cursor of the previous page. */
  cursor?: string;
  /** Page size; absent, 0 or less means the default, more is clamped. */
  limit?: number;
}

export interface GetTaskDifferencesQuery {
  /** Exact task name; alternative to fingerprint. */
  name?: string;
  /** Fingerprint of failures; alternative to name. */
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
  /** Literal, case-sensitive substring of the task name. */
  name?: string;
  /** Literal substring of name, queue, worker or task id; ignores case. */
  search?: string;
  /** Exact queue name. */
  queue?: string;
  /** Exact worker name. */
  worker?: string;
  /** Start of the range. */
  since?: string;
  /** End of the range. */
  until?: string;
  /** Query language, such as `state:failure args.user.id:123 -queue:mail runtime:>30s "timed out"`; every term must match, as must all other parameters. */
  q?: string;
  /** Maximum number of parts; default 60. */
  buckets?: number;
}

export interface GetTrendsQuery {
  /** Length of the range up to now; overridden by since and until. */
  window?: "1h" | "6h" | "24h" | "72h" | "7d";
  /** At least 1h when the range starts more than 48 h ago, because older counts are kept by the hour. */
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
  /** Page size, default 100; values below 1 or above 500 mean 100. */
  limit?: number;
  /** Rows to skip, default 0; negative values mean 0. */
  offset?: number;
}
