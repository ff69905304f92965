// Generated from openapi.json by `npm run docs`; a check fails when this file is stale.

import { type CallOptions, pathOf, type Send } from "../request.ts";
import type {
  ActivityPage,
  Agent,
  AgentCreate,
  AgentPage,
  AgentProcess,
  ApiKey,
  ApiKeyChanges,
  ApiKeyMint,
  BulkRetryBody,
  BulkRetryChildPage,
  BulkRetryCommandBody,
  BulkRetryPage,
  BulkRetryPlan,
  BulkRetryRequest,
  ClearQuarantineBody,
  Command,
  CommandPage,
  Completeness,
  Confirmation,
  ConsumerBody,
  DeadLetterPage,
  DeviceRename,
  EventPage,
  ExternalControlOperation,
  Facet,
  FireList,
  FireResolution,
  GetCompletenessQuery,
  GetFacetQuery,
  GetLatencyQuery,
  GetQueueActivityQuery,
  GetQueueDepthsQuery,
  GetScheduleForecastQuery,
  GetScheduleQuery,
  GetSecurityHistoryQuery,
  GetStatsQuery,
  GetTaskDifferencesQuery,
  GetTaskHistogramQuery,
  GetTrendsQuery,
  HomeSummary,
  InstanceSettings,
  InvitationAccept,
  InvitationAccepted,
  InvitationCreate,
  InvitationPage,
  InvitationPreview,
  InvitationToken,
  InvitedAnswer,
  IssuePage,
  KnownVersions,
  Latency,
  ListActivityQuery,
  ListAgentProcessesQuery,
  ListBulkRetriesQuery,
  ListBulkRetryChildrenQuery,
  ListCommandsQuery,
  ListDeadLettersQuery,
  ListEventsQuery,
  ListFiresQuery,
  ListIssuesQuery,
  ListMisfiresQuery,
  ListProjectsQuery,
  ListQueuesQuery,
  ListRecentFailuresQuery,
  ListReleasesQuery,
  ListScheduleMisfiresQuery,
  ListScheduleRunsQuery,
  ListSchedulesQuery,
  ListSlowestNamesQuery,
  ListTaskCommandsQuery,
  ListUsersQuery,
  ListWorkersQuery,
  LoginRequest,
  LoginResponse,
  Me,
  Member,
  MemberAdd,
  MemberChanges,
  MemberPage,
  MfaCode,
  MfaDisable,
  MfaEnrollment,
  MfaStatus,
  MfaVerified,
  MfaVerify,
  MintedAgent,
  MintedKey,
  MisfireList,
  PasswordChange,
  PasswordPolicy,
  PasswordResetAccepted,
  PasswordResetConfirm,
  PasswordResetDone,
  PasswordResetRequest,
  PasswordSet,
  PoolResizeBody,
  PreviewScheduleQuery,
  ProfileChanges,
  Project,
  ProjectChanges,
  ProjectCreate,
  ProjectStats,
  PurgeQueueBody,
  Queue,
  QueueActivities,
  QueueDepths,
  QueuePage,
  RateLimitBody,
  RecentFailurePage,
  RecoveryCodes,
  ReleasePage,
  ResolvedFire,
  RestartWorkerBody,
  RetryTaskBody,
  RevokedCount,
  RevokedOne,
  SavedView,
  SavedViewBody,
  SavedViewPage,
  Schedule,
  ScheduleChanges,
  ScheduleCreate,
  ScheduleDetail,
  ScheduleDiff,
  ScheduleForecast,
  ScheduleImport,
  ScheduleImportReport,
  SchedulePage,
  SchedulePreview,
  ScheduleResync,
  ScheduleRuns,
  SchedulerList,
  ScopeCatalogue,
  SecurityHistoryPage,
  SetupStatus,
  SlowestNames,
  StepUp,
  SystemFacts,
  Task,
  TaskCommandBody,
  TaskCommandPage,
  TaskDifferences,
  TaskExplanation,
  TaskHistogram,
  TaskTree,
  Trends,
  TriggeredSchedule,
  TrustDevice,
  TrustedDevice,
  TrustedDevicePage,
  UserAdminPublic,
  UserChanges,
  UserCreate,
  UserPublic,
  UserSessionPage,
  WorkerDetail,
  WorkerPage,
} from "./api.generated.ts";

/** A function for each operation: parts of its path, then its query or body, then how it is called. */
export function operationCalls(send: Send) {
  return {
    /** List activity. */
    listActivity: (query: ListActivityQuery = {}, call?: CallOptions) =>
      send<ActivityPage>("GET", "/activity", { ...call, query }),
    /** Get effective settings. */
    getSettings: (call?: CallOptions) =>
      send<InstanceSettings>("GET", "/admin/settings", call),
    /** Get known versions. */
    getKnownVersions: (call?: CallOptions) =>
      send<KnownVersions>("GET", "/admin/system/versions", call),
    /** Check for new versions. */
    checkVersions: (call?: CallOptions) =>
      send<KnownVersions>("POST", "/admin/system/versions/check", call),
    /** List your API keys. */
    listApiKeys: (call?: CallOptions) =>
      send<ApiKey[]>("GET", "/api-keys", call),
    /** Create an API key. */
    createApiKey: (body: ApiKeyMint, call?: CallOptions) =>
      send<MintedKey>("POST", "/api-keys", { ...call, body }),
    /** Revoke an API key. */
    revokeApiKey: (keyId: string, call?: CallOptions) =>
      send<void>("DELETE", pathOf`/api-keys/${keyId}`, call),
    /** Change an API key. */
    changeApiKey: (keyId: string, body: ApiKeyChanges, call?: CallOptions) =>
      send<ApiKey>("PATCH", pathOf`/api-keys/${keyId}`, { ...call, body }),
    /** List API key scopes. */
    listScopes: (call?: CallOptions) =>
      send<ScopeCatalogue>("GET", "/api-keys/scopes", call),
    /** Change your password. */
    changePassword: (body: PasswordChange, call?: CallOptions) =>
      send<LoginResponse>("POST", "/auth/change-password", { ...call, body }),
    /** Sign in. */
    login: (body: LoginRequest, call?: CallOptions) =>
      send<LoginResponse>("POST", "/auth/login", { ...call, body }),
    /** Sign out. */
    logout: (call?: CallOptions) =>
      send<void>("POST", "/auth/logout", call),
    /** Get your account. */
    getMe: (call?: CallOptions) =>
      send<Me>("GET", "/auth/me", call),
    /** Change your account. */
    updateMe: (body: ProfileChanges, call?: CallOptions) =>
      send<UserPublic>("PATCH", "/auth/me", { ...call, body }),
    /** Remove the second factor. */
    disableMfa: (body: MfaDisable, call?: CallOptions) =>
      send<Confirmation>("POST", "/auth/mfa/disable", { ...call, body }),
    /** Confirm a second factor. */
    completeMfaEnrollment: (body: MfaCode, call?: CallOptions) =>
      send<RecoveryCodes>("POST", "/auth/mfa/enroll-complete", { ...call, body }),
    /** Start setting up a second factor. */
    startMfaEnrollment: (call?: CallOptions) =>
      send<MfaEnrollment>("POST", "/auth/mfa/enroll-start", call),
    /** Replace the recovery codes. */
    regenerateRecoveryCodes: (call?: CallOptions) =>
      send<RecoveryCodes>("POST", "/auth/mfa/recovery-codes/regenerate", call),
    /** Get the state of the second factor. */
    getMfaStatus: (call?: CallOptions) =>
      send<MfaStatus>("GET", "/auth/mfa/status", call),
    /** List trusted devices. */
    listTrustedDevices: (call?: CallOptions) =>
      send<TrustedDevicePage>("GET", "/auth/mfa/trusted-devices", call),
    /** Trust this browser. */
    trustDevice: (body: TrustDevice = {}, call?: CallOptions) =>
      send<TrustedDevice>("POST", "/auth/mfa/trusted-devices", { ...call, body }),
    /** Rename a trusted device. */
    renameTrustedDevice: (deviceId: string, body: DeviceRename, call?: CallOptions) =>
      send<TrustedDevice>("PATCH", pathOf`/auth/mfa/trusted-devices/${deviceId}`, { ...call, body }),
    /** Revoke a trusted device. */
    revokeTrustedDevice: (deviceId: string, call?: CallOptions) =>
      send<void>("POST", pathOf`/auth/mfa/trusted-devices/${deviceId}/revoke`, call),
    /** Verify the second factor. */
    verifyMfa: (body: MfaVerify, call?: CallOptions) =>
      send<MfaVerified>("POST", "/auth/mfa/verify", { ...call, body }),
    /** Set a new password with a reset token. */
    confirmPasswordReset: (body: PasswordResetConfirm, call?: CallOptions) =>
      send<PasswordResetDone>("POST", "/auth/password-reset/confirm", { ...call, body }),
    /** Request a password reset. */
    requestPasswordReset: (body: PasswordResetRequest, call?: CallOptions) =>
      send<PasswordResetAccepted>("POST", "/auth/password-reset/request", { ...call, body }),
    /** Get the password policy. */
    getPasswordPolicy: (call?: CallOptions) =>
      send<PasswordPolicy>("GET", "/auth/policy", call),
    /** List security events of your account. */
    getSecurityHistory: (query: GetSecurityHistoryQuery = {}, call?: CallOptions) =>
      send<SecurityHistoryPage>("GET", "/auth/security-history", { ...call, query }),
    /** List your sessions. */
    listSessions: (call?: CallOptions) =>
      send<UserSessionPage>("GET", "/auth/sessions", call),
    /** End a session. */
    revokeSession: (sessionId: string, call?: CallOptions) =>
      send<RevokedOne>("POST", pathOf`/auth/sessions/${sessionId}/revoke`, call),
    /** End all other sessions. */
    revokeOtherSessions: (call?: CallOptions) =>
      send<RevokedCount>("POST", "/auth/sessions/revoke-others", call),
    /** Prove your identity again. */
    stepUp: (body: StepUp, call?: CallOptions) =>
      send<Confirmation>("POST", "/auth/step-up", { ...call, body }),
    /** Get facts about the system. */
    getSystem: (call?: CallOptions) =>
      send<SystemFacts>("GET", "/health/system", call),
    /** List recent failures. */
    listRecentFailures: (query: ListRecentFailuresQuery = {}, call?: CallOptions) =>
      send<RecentFailurePage>("GET", "/home/recent-failures", { ...call, query }),
    /** Get the summary of all projects. */
    getHomeSummary: (call?: CallOptions) =>
      send<HomeSummary>("GET", "/home/summary", call),
    /** Accept an invitation. */
    acceptInvitation: (body: InvitationAccept, call?: CallOptions) =>
      send<InvitationAccepted>("POST", "/invitations/accept", { ...call, body }),
    /** Preview an invitation. */
    previewInvitation: (body: InvitationToken, call?: CallOptions) =>
      send<InvitationPreview>("POST", "/invitations/preview", { ...call, body }),
    /** List projects. */
    listProjects: (query: ListProjectsQuery = {}, call?: CallOptions) =>
      send<Project[]>("GET", "/projects", { ...call, query }),
    /** Create a project. */
    createProject: (body: ProjectCreate, call?: CallOptions) =>
      send<Project>("POST", "/projects", { ...call, body }),
    /** Archive a project. */
    archiveProject: (slug: string, call?: CallOptions) =>
      send<void>("DELETE", pathOf`/projects/${slug}`, call),
    /** Get a project. */
    getProject: (slug: string, call?: CallOptions) =>
      send<Project>("GET", pathOf`/projects/${slug}`, call),
    /** Change a project. */
    changeProject: (slug: string, body: ProjectChanges, call?: CallOptions) =>
      send<Project>("PATCH", pathOf`/projects/${slug}`, { ...call, body }),
    /** List agent processes. */
    listAgentProcesses: (slug: string, query: ListAgentProcessesQuery = {}, call?: CallOptions) =>
      send<AgentProcess[]>("GET", pathOf`/projects/${slug}/agent-workers`, { ...call, query }),
    /** List agents. */
    listAgents: (slug: string, call?: CallOptions) =>
      send<AgentPage>("GET", pathOf`/projects/${slug}/agents`, call),
    /** Create an agent. */
    createAgent: (slug: string, body: AgentCreate, call?: CallOptions) =>
      send<MintedAgent>("POST", pathOf`/projects/${slug}/agents`, { ...call, body }),
    /** Revoke an agent. */
    revokeAgent: (slug: string, agentId: string, call?: CallOptions) =>
      send<void>("DELETE", pathOf`/projects/${slug}/agents/${agentId}`, call),
    /** Get an agent. */
    getAgent: (slug: string, agentId: string, call?: CallOptions) =>
      send<Agent>("GET", pathOf`/projects/${slug}/agents/${agentId}`, call),
    /** List bulk retries. */
    listBulkRetries: (slug: string, query: ListBulkRetriesQuery = {}, call?: CallOptions) =>
      send<BulkRetryPage>("GET", pathOf`/projects/${slug}/bulk-retry-requests`, { ...call, query }),
    /** Create a bulk retry. */
    createBulkRetry: (slug: string, body: BulkRetryBody, call?: CallOptions) =>
      send<BulkRetryRequest>("POST", pathOf`/projects/${slug}/bulk-retry-requests`, { ...call, body }),
    /** Get a bulk retry. */
    getBulkRetry: (slug: string, requestId: string, call?: CallOptions) =>
      send<BulkRetryRequest>("GET", pathOf`/projects/${slug}/bulk-retry-requests/${requestId}`, call),
    /** Cancel a bulk retry that is not sealed. */
    cancelBulkRetry: (slug: string, requestId: string, call?: CallOptions) =>
      send<BulkRetryRequest>("POST", pathOf`/projects/${slug}/bulk-retry-requests/${requestId}/cancel`, call),
    /** List the tasks of a bulk retry. */
    listBulkRetryChildren: (slug: string, requestId: string, query: ListBulkRetryChildrenQuery = {}, call?: CallOptions) =>
      send<BulkRetryChildPage>("GET", pathOf`/projects/${slug}/bulk-retry-requests/${requestId}/children`, { ...call, query }),
    /** Pause a bulk retry. */
    pauseBulkRetry: (slug: string, requestId: string, call?: CallOptions) =>
      send<BulkRetryRequest>("POST", pathOf`/projects/${slug}/bulk-retry-requests/${requestId}/pause`, call),
    /** Get the plan of a bulk retry. */
    getBulkRetryPlan: (slug: string, requestId: string, call?: CallOptions) =>
      send<BulkRetryPlan>("GET", pathOf`/projects/${slug}/bulk-retry-requests/${requestId}/plan`, call),
    /** Resume a bulk retry. */
    resumeBulkRetry: (slug: string, requestId: string, call?: CallOptions) =>
      send<BulkRetryRequest>("POST", pathOf`/projects/${slug}/bulk-retry-requests/${requestId}/resume`, call),
    /** List commands. */
    listCommands: (slug: string, query: ListCommandsQuery = {}, call?: CallOptions) =>
      send<CommandPage>("GET", pathOf`/projects/${slug}/commands`, { ...call, query }),
    /** Get a command. */
    getCommand: (slug: string, commandId: string, call?: CallOptions) =>
      send<Command>("GET", pathOf`/projects/${slug}/commands/${commandId}`, call),
    /** Add a consumer. */
    addConsumer: (slug: string, body: ConsumerBody, call?: CallOptions) =>
      send<Command>("POST", pathOf`/projects/${slug}/commands/add-consumer`, { ...call, body }),
    /** Retry listed tasks. */
    retryTasks: (slug: string, body: BulkRetryCommandBody, call?: CallOptions) =>
      send<Command>("POST", pathOf`/projects/${slug}/commands/bulk-retry`, { ...call, body }),
    /** Cancel a consumer. */
    cancelConsumer: (slug: string, body: ConsumerBody, call?: CallOptions) =>
      send<Command>("POST", pathOf`/projects/${slug}/commands/cancel-consumer`, { ...call, body }),
    /** Cancel a task. */
    cancelTask: (slug: string, body: TaskCommandBody, call?: CallOptions) =>
      send<Command>("POST", pathOf`/projects/${slug}/commands/cancel-task`, { ...call, body }),
    /** Resize the pool of a worker. */
    resizePool: (slug: string, body: PoolResizeBody, call?: CallOptions) =>
      send<Command>("POST", pathOf`/projects/${slug}/commands/pool-resize`, { ...call, body }),
    /** Purge a queue. */
    purgeQueue: (slug: string, body: PurgeQueueBody, call?: CallOptions) =>
      send<Command>("POST", pathOf`/projects/${slug}/commands/purge-queue`, { ...call, body }),
    /** Limit the rate of a task name. */
    limitRate: (slug: string, body: RateLimitBody, call?: CallOptions) =>
      send<Command>("POST", pathOf`/projects/${slug}/commands/rate-limit`, { ...call, body }),
    /** Requeue a dead letter. */
    requeueDeadLetter: (slug: string, body: TaskCommandBody, call?: CallOptions) =>
      send<Command>("POST", pathOf`/projects/${slug}/commands/requeue-dead-letter`, { ...call, body }),
    /** Restart a worker. */
    restartWorker: (slug: string, body: RestartWorkerBody, call?: CallOptions) =>
      send<Command>("POST", pathOf`/projects/${slug}/commands/restart-worker`, { ...call, body }),
    /** Retry a task. */
    retryTask: (slug: string, body: RetryTaskBody, call?: CallOptions) =>
      send<Command>("POST", pathOf`/projects/${slug}/commands/retry-task`, { ...call, body }),
    /** Get gaps in the data. */
    getCompleteness: (slug: string, query: GetCompletenessQuery = {}, call?: CallOptions) =>
      send<Completeness>("GET", pathOf`/projects/${slug}/completeness`, { ...call, query }),
    /** List dead letters. */
    listDeadLetters: (slug: string, query: ListDeadLettersQuery, call?: CallOptions) =>
      send<DeadLetterPage>("GET", pathOf`/projects/${slug}/dead-letters`, { ...call, query }),
    /** List events. */
    listEvents: (slug: string, query: ListEventsQuery = {}, call?: CallOptions) =>
      send<EventPage>("GET", pathOf`/projects/${slug}/events`, { ...call, query }),
    /** Count the values of a field. */
    getFacet: (slug: string, query: GetFacetQuery, call?: CallOptions) =>
      send<Facet>("GET", pathOf`/projects/${slug}/facets`, { ...call, query }),
    /** List invitations. */
    listInvitations: (slug: string, call?: CallOptions) =>
      send<InvitationPage>("GET", pathOf`/projects/${slug}/invitations`, call),
    /** Create an invitation. */
    createInvitation: (slug: string, body: InvitationCreate, call?: CallOptions) =>
      send<InvitedAnswer>("POST", pathOf`/projects/${slug}/invitations`, { ...call, body }),
    /** Revoke an invitation. */
    revokeInvitation: (slug: string, invitationId: string, call?: CallOptions) =>
      send<void>("DELETE", pathOf`/projects/${slug}/invitations/${invitationId}`, call),
    /** List issues. */
    listIssues: (slug: string, query: ListIssuesQuery = {}, call?: CallOptions) =>
      send<IssuePage>("GET", pathOf`/projects/${slug}/issues`, { ...call, query }),
    /** Get run and wait times over time. */
    getLatency: (slug: string, query: GetLatencyQuery = {}, call?: CallOptions) =>
      send<Latency>("GET", pathOf`/projects/${slug}/latency`, { ...call, query }),
    /** List the slowest task names. */
    listSlowestNames: (slug: string, query: ListSlowestNamesQuery = {}, call?: CallOptions) =>
      send<SlowestNames>("GET", pathOf`/projects/${slug}/latency/names`, { ...call, query }),
    /** List members. */
    listMembers: (slug: string, call?: CallOptions) =>
      send<MemberPage>("GET", pathOf`/projects/${slug}/memberships`, call),
    /** Add a member. */
    addMember: (slug: string, body: MemberAdd, call?: CallOptions) =>
      send<Member>("POST", pathOf`/projects/${slug}/memberships`, { ...call, body }),
    /** Remove a member. */
    removeMember: (slug: string, membershipId: string, call?: CallOptions) =>
      send<void>("DELETE", pathOf`/projects/${slug}/memberships/${membershipId}`, call),
    /** Change the role of a member. */
    changeMember: (slug: string, membershipId: string, body: MemberChanges, call?: CallOptions) =>
      send<Member>("PATCH", pathOf`/projects/${slug}/memberships/${membershipId}`, { ...call, body }),
    /** List queues. */
    listQueues: (slug: string, query: ListQueuesQuery = {}, call?: CallOptions) =>
      send<QueuePage>("GET", pathOf`/projects/${slug}/queues`, { ...call, query }),
    /** Get a queue. */
    getQueue: (slug: string, engine: string, name: string, call?: CallOptions) =>
      send<Queue>("GET", pathOf`/projects/${slug}/queues/${engine}/${name}`, call),
    /** Get the depth of a queue over time. */
    getQueueDepths: (slug: string, engine: string, name: string, query: GetQueueDepthsQuery = {}, call?: CallOptions) =>
      send<QueueDepths>("GET", pathOf`/projects/${slug}/queues/${engine}/${name}/depths`, { ...call, query }),
    /** Get recent activity of queues. */
    getQueueActivity: (slug: string, query: GetQueueActivityQuery = {}, call?: CallOptions) =>
      send<QueueActivities>("GET", pathOf`/projects/${slug}/queues/activity`, { ...call, query }),
    /** List releases. */
    listReleases: (slug: string, query: ListReleasesQuery = {}, call?: CallOptions) =>
      send<ReleasePage>("GET", pathOf`/projects/${slug}/releases`, { ...call, query }),
    /** List your saved views. */
    listSavedViews: (slug: string, call?: CallOptions) =>
      send<SavedViewPage>("GET", pathOf`/projects/${slug}/saved-views`, call),
    /** Create a saved view. */
    createSavedView: (slug: string, body: SavedViewBody, call?: CallOptions) =>
      send<SavedView>("POST", pathOf`/projects/${slug}/saved-views`, { ...call, body }),
    /** Delete a saved view. */
    deleteSavedView: (slug: string, viewId: string, call?: CallOptions) =>
      send<void>("DELETE", pathOf`/projects/${slug}/saved-views/${viewId}`, call),
    /** Replace a saved view. */
    replaceSavedView: (slug: string, viewId: string, body: SavedViewBody, call?: CallOptions) =>
      send<SavedView>("PUT", pathOf`/projects/${slug}/saved-views/${viewId}`, { ...call, body }),
    /** List schedules. */
    listSchedules: (slug: string, query: ListSchedulesQuery = {}, call?: CallOptions) =>
      send<SchedulePage>("GET", pathOf`/projects/${slug}/schedules`, { ...call, query }),
    /** Create a schedule. */
    createSchedule: (slug: string, body: ScheduleCreate, call?: CallOptions) =>
      send<Schedule>("POST", pathOf`/projects/${slug}/schedules`, { ...call, body }),
    /** Delete a schedule. */
    deleteSchedule: (slug: string, scheduleId: string, call?: CallOptions) =>
      send<void>("DELETE", pathOf`/projects/${slug}/schedules/${scheduleId}`, call),
    /** Get a schedule. */
    getSchedule: (slug: string, scheduleId: string, query: GetScheduleQuery = {}, call?: CallOptions) =>
      send<ScheduleDetail>("GET", pathOf`/projects/${slug}/schedules/${scheduleId}`, { ...call, query }),
    /** Change a schedule. */
    updateSchedule: (slug: string, scheduleId: string, body: ScheduleChanges, call?: CallOptions) =>
      send<Schedule>("PATCH", pathOf`/projects/${slug}/schedules/${scheduleId}`, { ...call, body }),
    /** Release a schedule from quarantine. */
    clearScheduleQuarantine: (slug: string, scheduleId: string, body: ClearQuarantineBody, call?: CallOptions) =>
      send<Schedule>("POST", pathOf`/projects/${slug}/schedules/${scheduleId}/clear-quarantine`, { ...call, body }),
    /** Disable a schedule. */
    disableSchedule: (slug: string, scheduleId: string, call?: CallOptions) =>
      send<Schedule>("POST", pathOf`/projects/${slug}/schedules/${scheduleId}/disable`, call),
    /** Enable a schedule. */
    enableSchedule: (slug: string, scheduleId: string, call?: CallOptions) =>
      send<Schedule>("POST", pathOf`/projects/${slug}/schedules/${scheduleId}/enable`, call),
    /** List the fires of a schedule. */
    listFires: (slug: string, scheduleId: string, query: ListFiresQuery = {}, call?: CallOptions) =>
      send<FireList>("GET", pathOf`/projects/${slug}/schedules/${scheduleId}/fires`, { ...call, query }),
    /** List the misfires of a schedule. */
    listScheduleMisfires: (slug: string, scheduleId: string, query: ListScheduleMisfiresQuery = {}, call?: CallOptions) =>
      send<MisfireList>("GET", pathOf`/projects/${slug}/schedules/${scheduleId}/misfires`, { ...call, query }),
    /** Pause a schedule. */
    pauseSchedule: (slug: string, scheduleId: string, call?: CallOptions) =>
      send<Schedule>("POST", pathOf`/projects/${slug}/schedules/${scheduleId}/pause`, call),
    /** End a fire. */
    resolveFire: (slug: string, scheduleId: string, body: FireResolution, call?: CallOptions) =>
      send<ResolvedFire>("POST", pathOf`/projects/${slug}/schedules/${scheduleId}/resolve-terminal-fire`, { ...call, body }),
    /** Resume a schedule. */
    resumeSchedule: (slug: string, scheduleId: string, call?: CallOptions) =>
      send<Schedule>("POST", pathOf`/projects/${slug}/schedules/${scheduleId}/resume`, call),
    /** Run a schedule now. */
    triggerSchedule: (slug: string, scheduleId: string, call?: CallOptions) =>
      send<TriggeredSchedule>("POST", pathOf`/projects/${slug}/schedules/${scheduleId}/trigger`, call),
    /** Get an operation on a schedule of an engine. */
    getExternalControlOperation: (slug: string, operationId: string, call?: CallOptions) =>
      send<ExternalControlOperation>("GET", pathOf`/projects/${slug}/schedules/external-control-operations/${operationId}`, call),
    /** Get a forecast of fires. */
    getScheduleForecast: (slug: string, query: GetScheduleForecastQuery = {}, call?: CallOptions) =>
      send<ScheduleForecast>("GET", pathOf`/projects/${slug}/schedules/forecast`, { ...call, query }),
    /** List misfires. */
    listMisfires: (slug: string, query: ListMisfiresQuery = {}, call?: CallOptions) =>
      send<MisfireList>("GET", pathOf`/projects/${slug}/schedules/misfires`, { ...call, query }),
    /** Preview an expression. */
    previewSchedule: (slug: string, query: PreviewScheduleQuery, call?: CallOptions) =>
      send<SchedulePreview>("GET", pathOf`/projects/${slug}/schedules/preview`, { ...call, query }),
    /** List the newest runs of schedules. */
    listScheduleRuns: (slug: string, query: ListScheduleRunsQuery, call?: CallOptions) =>
      send<ScheduleRuns>("GET", pathOf`/projects/${slug}/schedules/runs`, { ...call, query }),
    /** Compare schedules with an import. */
    diffSchedules: (slug: string, body: ScheduleImport, call?: CallOptions) =>
      send<ScheduleDiff>("POST", pathOf`/projects/${slug}/schedules:diff`, { ...call, body }),
    /** Import schedules. */
    importSchedules: (slug: string, body: ScheduleImport, call?: CallOptions) =>
      send<ScheduleImportReport>("POST", pathOf`/projects/${slug}/schedules:import`, { ...call, body }),
    /** Resync schedules of engines. */
    resyncSchedules: (slug: string, call?: CallOptions) =>
      send<ScheduleResync>("POST", pathOf`/projects/${slug}/schedules:resync`, call),
    /** Get statistics of a project. */
    getStats: (slug: string, query: GetStatsQuery = {}, call?: CallOptions) =>
      send<ProjectStats>("GET", pathOf`/projects/${slug}/stats`, { ...call, query }),
    /** Get a task. */
    getTask: (slug: string, engine: string, taskId: string, call?: CallOptions) =>
      send<Task>("GET", pathOf`/projects/${slug}/tasks/${engine}/${taskId}`, call),
    /** List the commands of a task. */
    listTaskCommands: (slug: string, engine: string, taskId: string, query: ListTaskCommandsQuery = {}, call?: CallOptions) =>
      send<TaskCommandPage>("GET", pathOf`/projects/${slug}/tasks/${engine}/${taskId}/commands`, { ...call, query }),
    /** Explain why a task is not running. */
    explainTask: (slug: string, engine: string, taskId: string, call?: CallOptions) =>
      send<TaskExplanation>("GET", pathOf`/projects/${slug}/tasks/${engine}/${taskId}/explain`, call),
    /** Get the tree of a task. */
    getTaskTree: (slug: string, engine: string, taskId: string, call?: CallOptions) =>
      send<TaskTree>("GET", pathOf`/projects/${slug}/tasks/${engine}/${taskId}/tree`, call),
    /** Compare failed with passed tasks. */
    getTaskDifferences: (slug: string, query: GetTaskDifferencesQuery = {}, call?: CallOptions) =>
      send<TaskDifferences>("GET", pathOf`/projects/${slug}/tasks/differences`, { ...call, query }),
    /** Count tasks over time. */
    getTaskHistogram: (slug: string, query: GetTaskHistogramQuery = {}, call?: CallOptions) =>
      send<TaskHistogram>("GET", pathOf`/projects/${slug}/tasks/histogram`, { ...call, query }),
    /** Get task outcomes over time. */
    getTrends: (slug: string, query: GetTrendsQuery = {}, call?: CallOptions) =>
      send<Trends>("GET", pathOf`/projects/${slug}/trends`, { ...call, query }),
    /** List workers. */
    listWorkers: (slug: string, query: ListWorkersQuery = {}, call?: CallOptions) =>
      send<WorkerPage>("GET", pathOf`/projects/${slug}/workers`, { ...call, query }),
    /** Get a worker. */
    getWorker: (slug: string, workerId: string, call?: CallOptions) =>
      send<WorkerDetail>("GET", pathOf`/projects/${slug}/workers/${workerId}`, call),
    /** List schedulers. */
    listSchedulers: (call?: CallOptions) =>
      send<SchedulerList>("GET", "/schedulers", call),
    /** Get the state of the setup. */
    getSetupStatus: (call?: CallOptions) =>
      send<SetupStatus>("GET", "/setup/status", call),
    /** List users. */
    listUsers: (query: ListUsersQuery = {}, call?: CallOptions) =>
      send<UserAdminPublic[]>("GET", "/users", { ...call, query }),
    /** Create a user. */
    createUser: (body: UserCreate, call?: CallOptions) =>
      send<UserAdminPublic>("POST", "/users", { ...call, body }),
    /** Delete a user. */
    deleteUser: (userId: string, call?: CallOptions) =>
      send<void>("DELETE", pathOf`/users/${userId}`, call),
    /** Change a user. */
    changeUser: (userId: string, body: UserChanges, call?: CallOptions) =>
      send<UserAdminPublic>("PATCH", pathOf`/users/${userId}`, { ...call, body }),
    /** Revoke all API keys of a user. */
    revokeUserApiKeys: (userId: string, call?: CallOptions) =>
      send<RevokedCount>("DELETE", pathOf`/users/${userId}/api-keys`, call),
    /** List the API keys of a user. */
    listUserApiKeys: (userId: string, call?: CallOptions) =>
      send<ApiKey[]>("GET", pathOf`/users/${userId}/api-keys`, call),
    /** Reset the password of a user. */
    resetUserPassword: (userId: string, body: PasswordSet, call?: CallOptions) =>
      send<void>("POST", pathOf`/users/${userId}/password`, { ...call, body }),
  };
}
