import { cadenceFingerprint } from "@svc/cadence";
import type { Brain } from "./brain/brain.ts";
import type { SchedulerClock } from "./clock.ts";
import { createAnswers } from "./firing/answers.ts";
import { createFiring } from "./firing/firing.ts";
import { followBrain } from "./following/follow.ts";
import { createGate } from "./gate.ts";
import { createSchedulerMetrics } from "./http/metrics.ts";
import { startElection } from "./leadership/election.ts";
import { type Leadership, singleLeadership } from "./leadership/leadership.ts";
import type { OpenLockSession } from "./leadership/lock-session.ts";
import { createReadiness } from "./leadership/readiness.ts";
import type { SchedulerLog } from "./log.ts";
import { createScheduleTable } from "./schedules/table.ts";
import type { SchedulerSettings } from "./settings.ts";

export type TickingSettings = Pick<
  SchedulerSettings,
  | "SVC_SCHEDULER_RECONCILE_INTERVAL_SECONDS"
  | "SVC_SCHEDULER_MISSED_AFTER_SECONDS"
  | "SVC_SCHEDULER_FIRE_TIMEOUT_SECONDS"
  | "SVC_SCHEDULER_FIRE_RETRY_MAX"
  | "SVC_SCHEDULER_FIRE_RETRY_BACKOFF_SECONDS"
  | "SVC_SCHEDULER_GRPC_RECONNECT_BACKOFF_MAX_SECONDS"
  | "SVC_SCHEDULER_LEADER_BACKEND"
  | "SVC_SCHEDULER_LEADER_NAMESPACE"
  | "SVC_SCHEDULER_LEADER_HEARTBEAT_SECONDS"
>;

export interface SchedulerParts {
  readonly settings: TickingSettings;
  readonly brain: Brain;
  readonly clock: SchedulerClock;
  readonly log: SchedulerLog;
  /** Where the locks are; not used by the backend single. */
  readonly openLocks: OpenLockSession | null;
}

/** What /info reports, apart from version and instance. */
export type SchedulerInfo = ReturnType<ReturnType<typeof runScheduler>["info"]>;

/** The scheduler without its sockets: follows the service, leads, and fires. */
export function runScheduler({ settings, brain, clock, log, openLocks }: SchedulerParts) {
  const gate = createGate(clock);
  const table = createScheduleTable({
    onChange(schedule, isDeleted) {
      const differing = gate.mismatch?.schedule;
      if (differing?.id === schedule.id && (isDeleted || differing.controlToken !== schedule.controlToken))
        gate.reopen();
      firing.place(schedule);
    },
  });
  const metrics = createSchedulerMetrics({
    isWatchHealthy: () => gate.isOpen(),
    isLeader: () => leadership.isLeader(),
    schedules: () => table.size,
  });
  const answers = createAnswers({
    table,
    gate,
    log,
    onDiscarded: metrics.onDiscarded,
    onMismatch: () => void following.recheck(),
  });
  const firing = createFiring({
    brain,
    table,
    gate,
    answers,
    clock,
    log,
    mayFire: (projectId) => readiness.isReady(projectId),
    missedAfterMs: settings.SVC_SCHEDULER_MISSED_AFTER_SECONDS * 1000,
    fireTimeoutMs: settings.SVC_SCHEDULER_FIRE_TIMEOUT_SECONDS * 1000,
    retries: settings.SVC_SCHEDULER_FIRE_RETRY_MAX,
    retryBackoffMs: settings.SVC_SCHEDULER_FIRE_RETRY_BACKOFF_SECONDS * 1000,
    onOffered: metrics.onOffered,
    onAnswered: metrics.onAnswered,
  });
  let events = 0;
  const nextEvent = (): number => {
    events += 1;
    return events;
  };
  const leadership = lead();
  let projectsSeen = 0;
  const following = followBrain({
    brain,
    table,
    gate,
    clock,
    log,
    reconcileMs: settings.SVC_SCHEDULER_RECONCILE_INTERVAL_SECONDS * 1000,
    maxBackoffMs: settings.SVC_SCHEDULER_GRPC_RECONNECT_BACKOFF_MAX_SECONDS * 1000,
    nextEvent,
    onSnapshot() {
      readiness.onSnapshot();
      onProgress();
    },
    onProgress,
  });
  const readiness = createReadiness({
    leadership,
    projectIds: () => table.projects.keys(),
    snapshotBegan: () => following.snapshotBegan(),
    requestSnapshot: () => following.requestSnapshot(),
    onChange: () => firing.placeAll(),
  });

  function onProgress(): void {
    if (table.projectsAdded !== projectsSeen) {
      projectsSeen = table.projectsAdded;
      leadership.retry();
    }
    firing.arm();
  }

  function lead(): Leadership {
    const backend = settings.SVC_SCHEDULER_LEADER_BACKEND;
    if (backend === "single") return singleLeadership;
    if (openLocks === null) throw new Error(`the leader backend ${backend} needs a database`);
    return startElection({
      open: openLocks,
      namespace: settings.SVC_SCHEDULER_LEADER_NAMESPACE,
      perProject: backend === "postgres_per_project",
      projectIds: () => table.projects.keys(),
      heartbeatMs: settings.SVC_SCHEDULER_LEADER_HEARTBEAT_SECONDS * 1000,
      clock,
      log,
      nextEvent,
      onChange: () => readiness.onLeadership(),
    });
  }

  return {
    metrics,
    info: () => ({
      leader: leadership.isLeader(),
      projects: table.projects.size,
      schedules: table.size,
      watch_healthy: gate.isOpen(),
      cadence_fingerprint: cadenceFingerprint,
      leader_backend: settings.SVC_SCHEDULER_LEADER_BACKEND,
      cadence_mismatch: gate.mismatch !== null,
      watch_age_seconds: gate.ageSeconds(),
      position: table.position,
      ...following.info(),
      ...firing.info(clock.now().getTime()),
    }),
    /** Why nothing is fired; empty while the scheduler works, also as a standby. */
    faults(): string[] {
      const faults: string[] = [];
      if (gate.mismatch !== null) faults.push("cadence_mismatch");
      if (!gate.isFresh()) faults.push("watch_unhealthy");
      return faults;
    },
    /** Stops ticking, waits for open fires up to `graceMs`, then gives up leadership. */
    async stop(graceMs: number): Promise<void> {
      await firing.stop(graceMs);
      await leadership.stop();
      await following.stop();
    },
  };
}
