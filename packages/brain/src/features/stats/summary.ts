import { finishedKinds, taskStates } from "@svc/protocol";
import { hours } from "../../platform/durations.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { bucketStart, minutesBegin } from "./counters/buckets.ts";
import { missingWorkers } from "./missing-workers-reads.ts";
import {
  agentsByState,
  commandsByStatus,
  countOpenCommands,
  projectTotals,
  queueDepths,
  taskCounts,
  workersByState,
} from "./reads.ts";
import type { StatsQuery } from "./schemas.ts";
import { readRange } from "./time-range.ts";

const deepQueue = 10_000;
const highFailureRate = 0.1;

export interface StatsDeps {
  readonly database: BrainDatabase;
  readonly schedules: { readonly lists: { countStopped(projectId: string): Promise<number> } };
}

/** The figures of GET /stats: the current state, and what was stored in the requested hours. */
export async function readStats(
  { database, schedules }: StatsDeps,
  request: { projectId: string; query: StatsQuery; now: Date },
) {
  const { projectId, query, now } = request;
  const range = readRange(query, now) ?? { from: new Date(now.getTime() - hours(query.hours ?? 24)), to: now };
  // Older counts are kept by the hour at its start: an hour in which the range starts or ends is counted whole.
  const from = range.from < minutesBegin(now) ? bucketStart(range.from, hours(1)) : range.from;
  const [byState, ends, agents, workers, missing, commands, open, stopped, depths] = await Promise.all([
    taskCounts(database, projectId),
    projectTotals(
      database,
      { projectId, kinds: finishedKinds },
      { from, to: range.to },
      { widthMs: Number.POSITIVE_INFINITY, now },
    ),
    agentsByState(database, projectId),
    workersByState(database, projectId),
    missingWorkers(database.slow, [projectId], now),
    commandsByStatus(database, projectId, range),
    countOpenCommands(database, projectId),
    schedules.lists.countStopped(projectId),
    queueDepths(database, projectId),
  ]);
  const countOf = (kind: string) => ends.reduce((sum, end) => (end.kind === kind ? sum + end.count : sum), 0);
  const failed = countOf("task.failed");
  const succeeded = countOf("task.succeeded");
  const failureRate = failed + succeeded === 0 ? 0 : failed / (failed + succeeded);
  const online = agents.online ?? 0;
  // An agent that never connected is not offline.
  const offline = agents.offline ?? 0;
  return {
    tasks_by_state: Object.fromEntries(taskStates.map((state) => [state, byState[state] ?? 0])),
    tasks_total: taskStates.reduce((sum, state) => sum + (byState[state] ?? 0), 0),
    tasks_finished_24h: ends.reduce((sum, { count }) => sum + count, 0),
    tasks_failed_24h: failed,
    tasks_succeeded_24h: succeeded,
    failure_rate_24h: failureRate,
    agents_online: online,
    agents_offline: offline,
    workers_online: workers.online ?? 0,
    workers_offline: workers.offline ?? 0,
    workers_missing: missing[0]?.missing ?? 0,
    commands_pending: open.pending,
    commands_dispatched: open.dispatched,
    commands_completed_24h: commands.completed ?? 0,
    commands_failed_24h: commands.failed ?? 0,
    commands_timeout_24h: commands.timeout ?? 0,
    schedules_stopped: stopped,
    queue_depths: depths,
    system_health: judgeHealth({ online, offline, failureRate, deepest: depths[0]?.pending_count ?? 0 }),
  };
}

/** Critical when none of several agents is online, degraded when any flag is false. Any answer at all proves that the database works. */
export function judgeHealth(facts: { online: number; offline: number; failureRate: number; deepest: number }) {
  const flags = {
    agents_all_online: facts.offline === 0,
    queue_depth_ok: facts.deepest < deepQueue,
    failure_rate_ok: facts.failureRate < highFailureRate,
    brain_db_ok: true,
  };
  const isCritical = facts.offline > 1 && facts.online === 0;
  const isHealthy = Object.values(flags).every(Boolean);
  return {
    status: isCritical ? ("critical" as const) : isHealthy ? ("healthy" as const) : ("degraded" as const),
    ...flags,
  };
}
