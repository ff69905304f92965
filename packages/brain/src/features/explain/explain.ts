import type { BrainDatabase } from "../../schema/tables/index.ts";
import { runTimesOf } from "../stats/index.ts";
import { type Cause, causesOf, endOf } from "./causes.ts";
import type { Facts } from "./facts.ts";
import {
  agentAt,
  type KnownTask,
  lossesSince,
  openChildren,
  queueOf,
  schedulesOf,
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
