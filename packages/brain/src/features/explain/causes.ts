import { minutes } from "../../platform/durations.ts";
import { type Facts, finalStates, type TaskFacts } from "./facts.ts";

export const causeCodes = [
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
export type CauseCode = (typeof causeCodes)[number];

export interface Cause {
  readonly code: CauseCode;
  /** One or two sentences, shown to people. */
  readonly message: string;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly since?: Date;
}

/** How long a queue report stays valid: some agents send one every five minutes. */
const reportValidMs = minutes(6);
/** A worker's list of running tasks counts only when it is this much newer than the task's last event. */
const listLagMs = 30_000;
/** With fewer runs, the usual run time is unknown. */
const minRuns = 20;

/** Why a task has not finished, most likely cause first. Never empty. */
export function causesOf(facts: Facts): Cause[] {
  const { state, worker_name: worker } = facts.task;
  const end = endOf(facts.task);
  if (end !== null) return [end];
  if (state === "started") return present(ofRunning(facts)) ?? [runningNormally(facts)];
  const isFetched = state === "received" && worker !== null;
  return present(isFetched ? ofFetched(facts) : ofWaiting(facts)) ?? [waitingNormally(facts)];
}

function present(found: readonly (Cause | null)[]): Cause[] | null {
  const causes = found.filter((cause) => cause !== null);
  return causes.length > 0 ? causes : null;
}

function ofRunning(facts: Facts): (Cause | null)[] {
  const lost = eventsLost(facts);
  const long = runningLong(facts);
  if (isMissingAtWorker(facts)) return [agentOffline(facts), lost, long];
  const offline = present([agentOffline(facts), workerSilent(facts)]);
  if (offline !== null) return [...offline, lost, long];
  // Lost events explain an overdue run. For a run of normal length they matter little.
  const isUsual = long === null && facts.runs !== null && facts.runs.count >= minRuns;
  return isUsual ? [runningNormally(facts), lost] : [lost, long];
}

const ofFetched = (facts: Facts): (Cause | null)[] => [
  etaAhead(facts),
  agentOffline(facts),
  workerSilent(facts) ?? prefetched(facts),
  eventsLost(facts),
];

const ofWaiting = (facts: Facts): (Cause | null)[] => [
  etaAhead(facts),
  agentOffline(facts),
  queuePaused(facts),
  rateLimited(facts),
  noConsumer(facts),
  eventsLost(facts),
  scheduleDisabled(facts),
];

/** The cause for a finished task; null while it has not finished. */
export function endOf({ state, finished_at: at, runtime_ms, worker_name: worker }: TaskFacts): Cause | null {
  if (!finalStates.includes(state)) return null;
  const how = { success: "succeeded", failure: "failed", revoked: "was revoked", rejected: "was rejected" };
  return {
    code: "finished",
    message: `The task ${how[state as keyof typeof how]}.`,
    evidence: { state, finished_at: at, runtime_ms, worker },
    ...(at !== null && { since: at }),
  };
}

function etaAhead({ task: { eta }, now }: Facts): Cause | null {
  if (eta === null || eta <= now) return null;
  return {
    code: "eta_ahead",
    message: "The task is scheduled to start later (ETA).",
    evidence: { eta, remaining_ms: eta.getTime() - now.getTime() },
  };
}

/** Only when no other agent reports the task's queue. */
function agentOffline(facts: Facts): Cause | null {
  const { agent, watchers_online: others, task, queue } = facts;
  if (agent === null || (agent.is_online && agent.revoked_at === null)) return null;
  if (others > 0 && isWithin(queue?.depth_reported_at ?? null, facts.now)) return null;
  const since = agent.revoked_at ?? agent.last_seen_at;
  const what = agent.revoked_at === null ? "is offline" : "was revoked";
  return {
    code: "agent_offline",
    message: `Agent ${agent.name}, which last reported this task, ${what}. The task may have run since then.`,
    evidence: {
      agent_id: agent.id,
      agent_name: agent.name,
      engine: task.engine,
      last_seen_at: agent.last_seen_at,
      agents_online: others,
    },
    ...(since !== null && { since }),
  };
}

function queuePaused(facts: Facts): Cause | null {
  const { queue } = facts;
  if (queue === null || queue.paused_since === null || !isCurrent(queue.depth_reported_at, facts)) return null;
  return {
    code: "queue_paused",
    message: `Queue ${queue.name} is paused. No tasks start until it is resumed.`,
    evidence: {
      queue: queue.name,
      pending_count: countedWith(facts),
      paused_since: queue.paused_since,
      reported_at: queue.depth_reported_at,
    },
    since: queue.paused_since,
  };
}

function rateLimited(facts: Facts): Cause | null {
  const { queue } = facts;
  if (queue === null || queue.limited_until === null || !isCurrent(queue.depth_reported_at, facts)) return null;
  return {
    code: "rate_limited",
    message: `Queue ${queue.name} had reached its rate limit at the last report. Tasks wait for the next window.`,
    evidence: {
      queue: queue.name,
      pending_count: countedWith(facts),
      limited_until: queue.limited_until,
      reported_at: queue.depth_reported_at,
    },
  };
}

/** Tasks waiting in the queue. Null when the report is older than the task's last event: it could show 0 while this task waits. */
const countedWith = ({ queue, task }: Facts): number | null =>
  queue?.depth_reported_at != null && queue.depth_reported_at >= task.last_event_at ? queue.pending_count : null;

/** Uses the reported consumer count, or the queues that workers reported where the engine has no such count. */
function noConsumer(facts: Facts): Cause | null {
  const { queue } = facts;
  if (queue === null) return null;
  const { consumers_reported_at: reportedAt, workers_online, workers_offline } = queue;
  const isCounted = isCurrent(reportedAt, facts);
  const isNone = isCounted ? queue.consumer_count === 0 : workers_online === 0 && workers_offline > 0;
  if (!isNone) return null;
  return {
    code: "no_consumer",
    message: isCounted
      ? `No worker consumes queue ${queue.name}.`
      : `Every known worker of queue ${queue.name} is offline.`,
    evidence: {
      queue: queue.name,
      pending_count: countedWith(facts),
      ...(isCounted && { consumer_count: 0, reported_at: reportedAt }),
      workers_offline,
    },
    ...(isCounted && queue.consumed_until !== null && { since: queue.consumed_until }),
  };
}

/** A worker known only from task events may be busy with this one, so its silence proves nothing. */
function workerSilent({ task, worker }: Facts): Cause | null {
  if (worker === null || worker.state !== "offline") return null;
  if (worker.details_at === null && worker.state_at === null) return null;
  const verb = task.state === "started" ? "is running" : "has fetched";
  return {
    code: "worker_silent",
    message: `Worker ${worker.name}, which ${verb} the task, is offline. It may have crashed with the task.`,
    evidence: { worker: worker.name, state: worker.state, last_heartbeat: worker.last_heartbeat },
    ...(worker.last_heartbeat !== null && { since: worker.last_heartbeat }),
  };
}

function prefetched({ task, worker }: Facts): Cause {
  const { worker_name: name, last_event_at: since } = task;
  return {
    code: "prefetched",
    message: `Worker ${name} has fetched the task and starts it when it has capacity. No other worker can start it.`,
    evidence: {
      worker: name,
      active_tasks: worker?.active_tasks ?? null,
      concurrency: worker?.concurrency ?? null,
      last_heartbeat: worker?.last_heartbeat ?? null,
    },
    since,
  };
}

/** The worker is online and lists its running tasks without this one. */
function isMissingAtWorker({ task, worker }: Facts): boolean {
  if (worker === null || worker.state !== "online" || worker.lists_task !== false) return false;
  return worker.details_at !== null && worker.details_at.getTime() - task.last_event_at.getTime() >= listLagMs;
}

function eventsLost(facts: Facts): Cause | null {
  const { losses, worker } = facts;
  const isMissing = facts.task.state === "started" && isMissingAtWorker(facts);
  const [newest] = losses;
  if (newest === undefined && !isMissing) return null;
  const worked = isMissing && { worker: worker?.name, worker_lists_it: false, listed_at: worker?.details_at };
  if (newest === undefined) {
    return {
      code: "events_lost",
      message: `Worker ${worker?.name} no longer lists the task as running. It has probably finished, but no event reported that.`,
      evidence: { ...worked },
    };
  }
  return {
    code: "events_lost",
    message: `Agent ${newest.agent_name} lost events after this task's last report. Its ${facts.task.state === "started" ? "end" : "start"} may be among them.`,
    evidence: {
      agent_id: newest.agent_id,
      agent_name: newest.agent_name,
      from: newest.from,
      to: newest.to,
      reason: newest.reason,
      event_records: losses.reduce((sum, { event_records }) => sum + event_records, 0),
      ...worked,
    },
    since: losses.at(-1)?.from ?? newest.from,
  };
}

/** When every schedule for such tasks is disabled, this task may be a leftover. */
function scheduleDisabled({ schedules }: Facts): Cause | null {
  const [newest] = schedules;
  if (newest === undefined || schedules.some(({ is_enabled }) => is_enabled)) return null;
  return {
    code: "schedule_disabled",
    message: `Schedule ${newest.name}, which starts tasks with this name, is disabled.`,
    evidence: { schedule: newest.name, schedules_disabled: schedules.length },
    since: newest.reported_at,
  };
}

function runningLong(facts: Facts): Cause | null {
  const { runs, task } = facts;
  const elapsedMs = elapsed(facts);
  if (runs === null || elapsedMs === null || runs.count < minRuns || elapsedMs <= runs.p95) return null;
  return {
    code: "running_long",
    message: "The task has been running for longer than 95% of recent runs with this name.",
    evidence: { ...runEvidence(facts), worker: task.worker_name },
    ...(task.started_at !== null && { since: new Date(task.started_at.getTime() + runs.p95) }),
  };
}

const runningNormally = (facts: Facts): Cause => ({
  code: "unknown",
  message: "The task is running. Nothing indicates that it is stuck.",
  evidence: { ...runEvidence(facts), worker: facts.task.worker_name },
  ...(facts.task.started_at !== null && { since: facts.task.started_at }),
});

function waitingNormally(facts: Facts): Cause {
  const { queue, task, open_children } = facts;
  if (open_children > 0) {
    return {
      code: "unknown",
      message:
        "Some of its child tasks have not finished. In a flow, it waits for them. No other blocking cause was found.",
      evidence: { queue: task.queue, open_children },
      since: task.last_event_at,
    };
  }
  const isReported = queue !== null && isCurrent(queue.depth_reported_at, facts);
  return {
    code: "unknown",
    message: isReported
      ? `The task is waiting for its turn in queue ${queue.name}. No blocking cause was found.`
      : "No blocking cause was found. The state of its queue was not reported recently.",
    evidence: {
      queue: task.queue,
      ...(isReported && {
        pending_count: countedWith(facts),
        consumer_count: isCurrent(queue.consumers_reported_at, facts) ? queue.consumer_count : null,
        oldest_waiting_since: queue.oldest_waiting_since,
        reported_at: queue.depth_reported_at,
      }),
    },
    since: task.last_event_at,
  };
}

const runEvidence = (facts: Facts) => ({
  elapsed_ms: elapsed(facts),
  p50_ms: facts.runs?.p50 ?? null,
  p95_ms: facts.runs?.p95 ?? null,
  p99_ms: facts.runs?.p99 ?? null,
  runs_measured: facts.runs?.count ?? 0,
});

function elapsed({ task: { started_at: at }, now }: Facts): number | null {
  return at === null ? null : Math.max(0, now.getTime() - at.getTime());
}

const isWithin = (reportedAt: Date | null, asOf: Date): boolean =>
  reportedAt !== null && asOf.getTime() - reportedAt.getTime() <= reportValidMs;

/** Whether a queue report was still valid at the agent's last contact. For an offline agent, its last report is the newest information. */
function isCurrent(reportedAt: Date | null, { agent, now }: Facts): boolean {
  return isWithin(reportedAt, agent === null || agent.is_online ? now : (agent.last_seen_at ?? now));
}
