import { projectSecret } from "@svc/protocol";
import { createVersions } from "../features/admin/index.ts";
import { createAgentFile } from "../features/agent-file/index.ts";
import { maxFrameBytes } from "../features/agent-transport/index.ts";
import { Agents } from "../features/agents/index.ts";
import { createApiKeys, revokeKeysOf } from "../features/api-keys/index.ts";
import { createAudit } from "../features/audit/index.ts";
import { createBulkRetries, forgetRetrier } from "../features/bulk-retries/index.ts";
import { createCommands, forgetIssuer } from "../features/commands/index.ts";
import { createFires, forgetTrigger } from "../features/fires/index.ts";
import { createHealth, createWriteProbe, retentionCheck } from "../features/health/index.ts";
import { createIngest, redactorOf } from "../features/ingest/index.ts";
import { createInvitations, forgetInviter } from "../features/invitations/index.ts";
import { createLive, type Live } from "../features/live/index.ts";
import { createMasking } from "../features/masking/index.ts";
import { createMemberAdministration, createMemberships } from "../features/memberships/index.ts";
import { createMfa } from "../features/mfa/index.ts";
import { createNativeSchedules } from "../features/native-schedules/index.ts";
import { createPasswordReset } from "../features/password-reset/index.ts";
import { createProjects } from "../features/projects/index.ts";
import { createQueues } from "../features/queues/index.ts";
import { createReconciliation } from "../features/reconciliation/index.ts";
import { createSavedViews } from "../features/saved-views/index.ts";
import { createSchedulerServices } from "../features/scheduler-grpc/index.ts";
import { createSchedulers } from "../features/schedulers/index.ts";
import { createSchedules, followProject, type Schedules } from "../features/schedules/index.ts";
import { createSecurityHistory } from "../features/security-history/index.ts";
import { Sessions } from "../features/sessions/index.ts";
import { createSetup } from "../features/setup/index.ts";
import { createReleases } from "../features/stats/index.ts";
import { createUserAdministration, createUsers } from "../features/users/index.ts";
import { createWorkers } from "../features/workers/index.ts";
import { createKeyring } from "../platform/crypto/keyring.ts";
import { createPasswords } from "../platform/crypto/passwords.ts";
import { createMail } from "../platform/mail/mail.ts";
import { createRetentionGuard } from "../platform/retention.ts";
import { createThrottledLog } from "../platform/throttled-log.ts";
import type { BrainDeps } from "./brain-deps.ts";
import { liveReaders } from "./live/live-readers.ts";
import { watchRoles } from "./live/watch-roles.ts";
import { installedPackages } from "./packages.ts";
import { appliedVersion, schemaVersion } from "./storage.ts";

/** Builds every feature once, in order of dependency. */
export function createFeatures(deps: BrainDeps) {
  const { settings, database, clock, log, metrics, version } = deps;
  const base = { settings, database, clock, log, metrics };
  const masters = createKeyring(settings.SVC_SECRET, settings.SVC_PREVIOUS_SECRETS);
  const onError = (source: string) => {
    const failed = createThrottledLog(clock, (times, about) =>
      log.warn(`${source}.background_failed`, { times, ...about }),
    );
    return (error: unknown) => failed({ err: error });
  };
  const suppressed = createThrottledLog(clock, (refusals) => log.warn("audit.refusals_suppressed", { refusals }));

  const audit = createAudit({
    ...base,
    secrets: createKeyring(settings.SVC_AUDIT_CHAIN_SECRET, settings.SVC_AUDIT_CHAIN_PREVIOUS_SECRETS),
    onError: onError("audit"),
    onSuppressed: () => suppressed({}),
  });
  const passwords = createPasswords(settings);
  const users = createUsers(base);
  const mail = createMail(base);
  const history = createSecurityHistory({ ...base, mail });
  /** Shared by the features for accounts and access. */
  const people = { ...base, audit, users, passwords, masters, mail, history, revokeKeys: revokeKeysOf };
  const mfa = createMfa(people);
  const memberships = createMemberships({ ...base, onError: onError("memberships") });
  const sessions = new Sessions({
    ...people,
    keyring: createKeyring(settings.SVC_SESSION_SECRET, settings.SVC_PREVIOUS_SESSION_SECRETS),
    memberships,
    mfa,
    onError: onError("sessions"),
  });
  const projects = createProjects({
    ...people,
    memberships,
    onError: onError("projects"),
    cancelCommands: (tx, project_id, now) =>
      commands.cancel(tx, { of: { project_id }, error: "the project was archived", now }),
    followProject,
  });
  const forget = [forgetIssuer, forgetInviter, forgetRetrier, forgetTrigger];
  const userAdministration = createUserAdministration({ ...people, sessions, forget });
  const memberAdministration = createMemberAdministration({ ...people, memberships });
  const invitations = createInvitations({ ...people, memberships });
  const passwordReset = createPasswordReset({ ...people, sessions });
  const apiKeys = createApiKeys({ ...people, projects, onError: onError("api_keys") });
  const setup = createSetup({ ...people, projects, sessions, announce: deps.announce });

  const { labels } = projects;
  const redactor = redactorOf(settings);
  const masking = createMasking(redactor);
  const publish: Live["publish"] = (change) => live.publish(change);
  /** Shared by the features for tasks and engines. */
  const engines = { ...base, audit, masters, labels, redactor, publish };
  const commands = createCommands({
    ...engines,
    timeoutSeconds: settings.SVC_COMMAND_TIMEOUT_SECONDS,
    redispatch: {
      windowSeconds: settings.SVC_AGENT_LONGPOLL_REDISPATCH_SECONDS,
      minIntervalSeconds: settings.SVC_AGENT_LONGPOLL_REDISPATCH_MIN_INTERVAL_SECONDS,
    },
  });
  const bulkRetries = createBulkRetries({
    ...engines,
    commands,
    timeoutSeconds: settings.SVC_COMMAND_TIMEOUT_SECONDS,
    scanBatch: settings.SVC_BULK_RETRY_SCAN_BATCH,
    maxFrameBytes: maxFrameBytes(settings),
    maxInFlight: settings.SVC_BULK_RETRY_MAX_IN_FLIGHT,
    parentTimeoutSeconds: settings.SVC_BULK_RETRY_PARENT_TIMEOUT_SECONDS,
  });
  const agents = new Agents({
    ...engines,
    brainVersion: version,
    onError: onError("agents"),
    cancelCommands: (tx, agent_id, now) =>
      commands.cancel(tx, { of: { agent_id }, error: "the agent was revoked", now }),
  });
  const queues = createQueues({ ...engines, onError: onError("queues") });
  const workers = createWorkers({ ...engines, onError: onError("workers") });
  const nativeSchedules = createNativeSchedules({
    ...engines,
    agents,
    commands,
    onError: onError("native_schedules"),
  });
  const scheduleChanged: Live["publish"] = (change) => {
    publish(change);
    schedulerGrpc.changed();
  };
  const fires = createFires({
    ...engines,
    commands,
    memberships,
    triggerNative: nativeSchedules.triggerNative,
    publish: scheduleChanged,
    publishMoved: publish,
  });
  const { schedulerGrpc, embeddedScheduler } = createSchedulerServices({
    ...engines,
    version,
    startScheduler: deps.startScheduler,
    fires: fires.calls,
    quarantine: (report) => schedules.quarantine(report),
    onError: onError("scheduler_grpc"),
  });
  const schedules: Schedules = createSchedules({
    ...engines,
    setNativeEnabled: nativeSchedules.setNativeEnabled,
    publish: scheduleChanged,
  });
  // Archived projects disappear for schedulers, restored ones return.
  projects.onChanged(() => schedulerGrpc.changed());
  const releases = createReleases({ database, onError: onError("releases") });
  const ingest = createIngest({
    ...engines,
    queues,
    workers,
    releases,
    requirePositions: nativeSchedules.requirePositions,
    publish(change) {
      publish(change);
      if (change.topic === "schedule.changed") nativeSchedules.schedulesChanged();
      if (change.topic === "task.changed") bulkRetries.tasksChanged(change);
    },
  });
  const refetches = metrics.counter({
    name: "svc_hub_refetch_total",
    help: "change events without data, which make a dashboard fetch again",
  });
  const live: Live = createLive({
    ...base,
    readers: liveReaders({ database, clock, agents, masking, schedules }),
    roleIn: watchRoles({ sessions, projects }),
    refetched: () => refetches.inc(),
  });
  const reconciliation = createReconciliation({ ...engines, agents, commands, ingest });
  const savedViews = createSavedViews(base);
  const writeProbe = createWriteProbe({ ...base, processId: deps.processId });
  const retention = createRetentionGuard(base);
  const health = createHealth({
    ...base,
    audit,
    verifiesAudit: settings.SVC_AUDIT_CHAIN_VERIFY_ENABLED,
    version,
    packages: installedPackages(),
    schema: { applied: () => appliedVersion(database), expected: schemaVersion() },
    isStarted: deps.isStarted,
    writeProbe,
    checks: [retentionCheck(retention)],
  });

  return {
    agentFile: createAgentFile(base),
    agents,
    apiKeys,
    audit,
    bulkRetries,
    commands,
    embeddedScheduler,
    fires,
    health,
    ingest,
    invitations,
    live,
    masking,
    mail,
    memberAdministration,
    memberships,
    mfa,
    nativeSchedules,
    passwordReset,
    projects,
    queues,
    redactor,
    reconciliation,
    releases,
    retention,
    savedViews,
    schedulerGrpc,
    schedulers: createSchedulers({ settings, embedded: () => embeddedScheduler?.state() ?? null }),
    schedules,
    securityHistory: history,
    sessions,
    setup,
    userAdministration,
    users,
    versions: createVersions({ ...base, version }),
    workers,
    writeProbe,
    /** Only the current master signs frames. */
    secretOf: (projectId: string) => projectSecret(masters.current, projectId),
  };
}

export type Features = ReturnType<typeof createFeatures>;
