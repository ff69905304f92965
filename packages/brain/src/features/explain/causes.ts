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
  /** One or two sentences in plain English. */
  readonly message: string;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly since?: Date;
}

/** A report of a queue holds for so long: some agents send one every five minutes. */
const reportHoldsMs = minutes(6);
/** How much later than the last event a worker's list must be to say that the task is not on it. */
const listLagMs = 30_000;
/** Fewer runs do not tell what is usual. */
const fewestRuns = 20;

/** Why a task has not finished, the most likely cause first; never empty. */
export function causesOf(facts: Facts): Cause[] {
  const { state, worker_name: worker } = facts.task;
  const end = endOf(facts.task);
  if (end !== null) return [end];
  if (state === "started") return known(ofRun(facts)) ?? [runsOn(facts)];
  const isHeld = state === "received" && worker !== null;
  return known(isHeld ? ofHeld(facts) : ofWaiting(facts)) ?? [waits(facts)];
}

function known(found: readonly (Cause | null)[]): Cause[] | null {
  const causes = found.filter((cause) => cause !== null);
  return causes.length > 0 ? causes : null;
}

function ofRun(facts: Facts): (Cause | null)[] {
  const lost = eventsLost(facts);
  const long = runningLong(facts);
  if (isMissingAtWorker(facts)) return [agentOffline(facts), lost, long];
  const gone = known([agentOffline(facts), workerSilent(facts)]);
  if (gone !== null) return [...gone, lost, long];
  // A loss explains a run that is overdue; of one as usual it says little.
  const isUsual = long === null && facts.runs !== null && facts.runs.count >= fewestRuns;
  return isUsual ? [runsOn(facts), lost] : [lost, long];
}

const ofHeld = (facts: Facts): (Cause | null)[] => [
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

/** What is told of a task that has ended; null of any other. */
export function endOf({ state, finished_at: at, runtime_ms, worker_name: worker }: TaskFacts): Cause | null {
  if (!finalStates.includes(state)) return null;
  const how = { success: "succeeded", failure: "failed", revoked: "was revoked", rejected: "was rejected" };
  return {
    code: "finished",
    message: `It has finished: it ${how[state as keyof typeof how]}.`,
    evidence: { state, finished_at: at, runtime_ms, worker },
    ...(at !== null && { since: at }),
  };
}

function etaAhead({ task: { eta }, now }: Facts): Cause | null {
  if (eta === null || eta <= now) return null;
  return {
    code: "eta_ahead",
    message: "It was asked to start later (ETA), and that time lies ahead.",
    evidence: { eta, remaining_ms: eta.getTime() - now.getTime() },
  };
}

/** Nobody else tells of the task's queue instead. */
function agentOffline(facts: Facts): Cause | null {
  const { agent, watchers_online: others, task, queue } = facts;
  if (agent === null || (agent.is_online && agent.revoked_at === null)) return null;
  if (others > 0 && isWithin(queue?.depth_reported_at ?? null, facts.now)) return null;
  const since = agent.revoked_at ?? agent.last_seen_at;
  const what = agent.revoked_at === null ? "is offline" : "was revoked";
  return {
    code: "agent_offline",
    message: `Agent ${agent.name}, which told of this task last, ${what}. What happened since is not known here: the task may have run.`,
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
    message: `Queue ${queue.name} is paused: nothing in it starts until it is resumed.`,
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
    message: `Queue ${queue.name} had used up its rate limit when it was last reported: tasks wait for the next window.`,
    evidence: {
      queue: queue.name,
      pending_count: countedWith(facts),
      limited_until: queue.limited_until,
      reported_at: queue.depth_reported_at,
    },
  };
}

/** The tasks that wait in the queue, from a report that can hold this one; an earlier one would say 0 beside a task that waits. */
const countedWith = ({ queue, task }: Facts): number | null =>
  queue?.depth_reported_at != null && queue.depth_reported_at >= task.last_event_at ? queue.pending_count : null;

/** From the count of consumers, or where the engine tells none, from the workers that said what they serve. */
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
      : `Every worker that is known to serve queue ${queue.name} is offline.`,
    evidence: {
      queue: queue.name,
      pending_count: countedWith(facts),
      ...(isCounted && { consumer_count: 0, reported_at: reportedAt }),
      workers_offline,
    },
    ...(isCounted && queue.consumed_until !== null && { since: queue.consumed_until }),
  };
}

/** Of a worker that is known by its tasks alone, silence says nothing: it may run this one all the time. */
function workerSilent({ task, worker }: Facts): Cause | null {
  if (worker === null || worker.state !== "offline") return null;
  if (worker.details_at === null && worker.state_at === null) return null;
  const verb = task.state === "started" ? "runs" : "holds";
  return {
    code: "worker_silent",
    message: `Worker ${worker.name}, which ${verb} it, has gone silent: it may have died with the task.`,
    evidence: { worker: worker.name, state: worker.state, last_heartbeat: worker.last_heartbeat },
    ...(worker.last_heartbeat !== null && { since: worker.last_heartbeat }),
  };
}

function prefetched({ task, worker }: Facts): Cause {
  const { worker_name: name, last_event_at: since } = task;
  return {
    code: "prefetched",
    message: `Worker ${name} has taken it from the queue and holds it until it has room. No other worker can start it meanwhile.`,
    evidence: {
      worker: name,
      active_tasks: worker?.active_tasks ?? null,
      concurrency: worker?.concurrency ?? null,
      last_heartbeat: worker?.last_heartbeat ?? null,
    },
    since,
  };
}

/** The worker is there and tells what it has in hand, but not this. */
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
      message: `Worker ${worker?.name} no longer lists it among the tasks it runs: it has probably ended, and that was never told.`,
      evidence: { ...worked },
    };
  }
  return {
    code: "events_lost",
    message: `Agent ${newest.agent_name} lost events after this task was last told of: its ${facts.task.state === "started" ? "end" : "start"} may be among them.`,
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

/** All schedules that start such tasks are disabled: this one may be left from before. */
function scheduleDisabled({ schedules }: Facts): Cause | null {
  const [newest] = schedules;
  if (newest === undefined || schedules.some(({ is_enabled }) => is_enabled)) return null;
  return {
    code: "schedule_disabled",
    message: `Schedule ${newest.name}, which starts tasks of this name, is disabled.`,
    evidence: { schedule: newest.name, schedules_disabled: schedules.length },
    since: newest.told_at,
  };
}

function runningLong(facts: Facts): Cause | null {
  const { runs, task } = facts;
  const elapsedMs = elapsed(facts);
  if (runs === null || elapsedMs === null || runs.count < fewestRuns || elapsedMs <= runs.p95) return null;
  return {
    code: "running_long",
    message: "It has been running for longer than 95 of 100 runs of tasks with this name.",
    evidence: { ...runEvidence(facts), worker: task.worker_name },
    ...(task.started_at !== null && { since: new Date(task.started_at.getTime() + runs.p95) }),
  };
}

const runsOn = (facts: Facts): Cause => ({
  code: "unknown",
  message: "It is running, and nothing that is known here says that it is stuck.",
  evidence: { ...runEvidence(facts), worker: facts.task.worker_name },
  ...(facts.task.started_at !== null && { since: facts.task.started_at }),
});

function waits(facts: Facts): Cause {
  const { queue, task, open_children } = facts;
  if (open_children > 0) {
    return {
      code: "unknown",
      message:
        "Tasks that belong under it have not ended: in a flow it waits for them. Nothing else that is known holds it back.",
      evidence: { queue: task.queue, open_children },
      since: task.last_event_at,
    };
  }
  const isTold = queue !== null && isCurrent(queue.depth_reported_at, facts);
  return {
    code: "unknown",
    message: isTold
      ? `It waits for its turn in queue ${queue.name}, and nothing that is known here holds it back.`
      : "Nothing that is known here holds it back; how its queue stands was not told lately.",
    evidence: {
      queue: task.queue,
      ...(isTold && {
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
  reportedAt !== null && asOf.getTime() - reportedAt.getTime() <= reportHoldsMs;

/** Whether a report of a queue still held when its agent was last heard: of an agent that is gone, what it said last is what is known. */
function isCurrent(reportedAt: Date | null, { agent, now }: Facts): boolean {
  return isWithin(reportedAt, agent === null || agent.is_online ? now : (agent.last_seen_at ?? now));
}
