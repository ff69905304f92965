import { parseJson } from "@svc/protocol";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { listEvents } from "../events/index.ts";
import { runTimesOf } from "../stats/index.ts";
import { type Cause, causesOf, endOf } from "./causes.ts";
import type { Facts, ScheduleFacts } from "./facts.ts";
import {
  agentAt,
  type KnownTask,
  lossesSince,
  openChildren,
  queueOf,
  type TaskAddress,
  taskAt,
  watchersOnline,
  workerOf,
} from "./facts-reads.ts";

export interface Explanation {
  readonly state: KnownTask["state"];
  readonly causes: Cause[];
}

/** Days, today included, whose runs define the usual run time. */
const runDays = 8;
/** Newest events of each kind that are searched for schedules. */
const scheduleEvents = 50;

/**
 * Why a task is not running or has not finished, from stored data; null when the project has no such task. It runs one keyed statement
 * for each thing that the task touches, so the cost does not depend on the number of tasks and events. Only the agents and workers of
 * the project are scanned.
 */
export async function explainTask(db: BrainDatabase, address: TaskAddress, now: Date): Promise<Explanation | null> {
  const task = await taskAt(db, address);
  if (task === null) return null;
  const end = endOf(task);
  const causes = end === null ? causesOf(await factsOf(db, { address, task, now })) : [end];
  return { state: task.state, causes };
}

async function factsOf(
  db: BrainDatabase,
  { address, task, now }: { address: TaskAddress; task: KnownTask; now: Date },
): Promise<Facts> {
  const { projectId, engine } = address;
  const { queue, worker_name: worker, state, reported_by, last_event_at: since, name } = task;
  const isRunning = state === "started";
  const rootId = task.root_task_id ?? task.task_id;
  const [queueFacts, workerFacts, agent, watchers, losses, runs, children, schedules] = await Promise.all([
    queue === null ? null : queueOf(db, { projectId, engine, name: queue }),
    worker === null ? null : workerOf(db, { ...address, name: worker }),
    agentAt(db, projectId, reported_by),
    watchersOnline(db, projectId, engine),
    lossesSince(db, { projectId, engine, since }),
    isRunning ? runTimesOf(db, { projectId, name, days: runDays, now }) : null,
    isRunning ? 0 : openChildren(db, { ...address, rootId }),
    isRunning ? [] : schedulesOf(db, projectId, task),
  ]);
  return {
    now,
    task,
    queue: queueFacts,
    worker: workerFacts,
    agent,
    watchers_online: watchers,
    losses,
    runs,
    open_children: children,
    schedules,
  };
}

const scheduleKinds = ["schedule.created", "schedule.updated", "schedule.deleted"] as const;

interface ReportedSchedule extends ScheduleFacts {
  readonly task_name: string | null;
  readonly queue: string | null;
  readonly is_deleted: boolean;
}

/** The schedules of the engine that start tasks like this one, according to the newest schedule events; newest first. */
async function schedulesOf(db: BrainDatabase, projectId: string, task: KnownTask): Promise<ScheduleFacts[]> {
  const pages = await Promise.all(
    scheduleKinds.map((kind) => listEvents(db, projectId, { kind }, { after: null, limit: scheduleEvents })),
  );
  const reported = pages
    .flatMap(({ rows }) => rows)
    .filter(({ engine }) => engine === task.engine)
    .sort((a, b) => b.occurred_at.getTime() - a.occurred_at.getTime() || (a.id < b.id ? 1 : -1))
    .flatMap((event) => reportedSchedule(event) ?? []);
  const newest = new Map<string, ReportedSchedule>();
  for (const schedule of reported) if (!newest.has(schedule.name)) newest.set(schedule.name, schedule);
  return [...newest.values()].filter(
    (one) => !one.is_deleted && one.task_name === task.name && (one.queue === null || one.queue === task.queue),
  );
}

/** Null when the event names no schedule. */
function reportedSchedule(event: { kind: string; payload: string; occurred_at: Date }): ReportedSchedule | null {
  const payload = parseJson(event.payload) as Record<string, unknown>;
  const isDeleted = event.kind === "schedule.deleted";
  const body = isDeleted ? payload : payload.schedule;
  if (typeof body !== "object" || body === null) return null;
  const { name, task_name, queue, is_enabled } = body as Record<string, unknown>;
  if (typeof name !== "string") return null;
  return {
    name,
    task_name: typeof task_name === "string" ? task_name : null,
    queue: typeof queue === "string" ? queue : null,
    is_enabled: is_enabled !== false,
    is_deleted: isDeleted,
    reported_at: event.occurred_at,
  };
}
