import { parseJson, type TaskState } from "@svc/protocol";
import { jsonArrayHas } from "../../platform/database/dialects/expressions/json-columns.ts";
import { countOf } from "../../platform/database/results.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { isRunnable } from "../schedules/index.ts";
import {
  type AgentFacts,
  finalStates,
  type LossFacts,
  type QueueFacts,
  type ScheduleFacts,
  type TaskFacts,
  type WorkerFacts,
} from "./facts.ts";

export interface TaskAddress {
  readonly projectId: string;
  readonly engine: string;
  readonly taskId: string;
}

export interface KnownTask extends TaskFacts {
  readonly name: string;
  readonly root_task_id: string | null;
  /** Id of the agent that last reported it. */
  readonly reported_by: string;
}

/** Maximum tasks of a family that one answer reads. */
const maxFamily = 500;
/** Maximum losses that one answer reads, newest first. */
const maxLosses = 20;
/** Maximum schedules of a task name that one answer reads, those that run first. */
const maxSchedules = 50;
/** Depths are stored per two minutes. */
const depthCellMs = 120_000;

/** The task at an address, without its large values; null when the project has none. */
export async function taskAt(
  { read }: BrainDatabase,
  { projectId, engine, taskId }: TaskAddress,
): Promise<KnownTask | null> {
  const row = await read
    .selectFrom("tasks")
    .select([
      "engine",
      "task_id",
      "name",
      "state",
      "queue",
      "worker_name",
      "eta",
      "started_at",
      "finished_at",
      "runtime_ms",
      "last_event_at",
      "root_task_id",
      "reported_by",
    ])
    .where("project_id", "=", projectId)
    .where("engine", "=", engine)
    .where("task_id", "=", taskId)
    .executeTakeFirst();
  return row === undefined ? null : { ...row, state: row.state as TaskState };
}

/** Number of unfinished children of a task, among the oldest tasks of its family. */
export const openChildren = (
  { read }: BrainDatabase,
  { projectId, rootId, engine, taskId }: TaskAddress & { readonly rootId: string },
): Promise<number> =>
  countOf(
    read
      .selectFrom((from) =>
        from
          .selectFrom("tasks")
          .select(["engine", "task_id", "parent_task_id", "state"])
          .where("project_id", "=", projectId)
          .where("root_task_id", "=", rootId)
          .orderBy("received_at")
          .orderBy("task_id")
          .limit(maxFamily)
          .as("family"),
      )
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .where("engine", "=", engine)
      .where("parent_task_id", "=", taskId)
      .where("state", "not in", finalStates),
  );

/** The queue with this name and the workers that serve it; null when unknown. */
export async function queueOf(
  db: BrainDatabase,
  { projectId, engine, name }: { projectId: string; engine: string; name: string },
): Promise<QueueFacts | null> {
  const row = await db.read
    .selectFrom("queues")
    .select([
      "id",
      "name",
      "pending_count",
      "consumer_count",
      "oldest_waiting_since",
      "depth_reported_at",
      "consumers_reported_at",
      "metadata",
    ])
    .where("project_id", "=", projectId)
    .where("engine", "=", engine)
    .where("name", "=", name)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { id, metadata, ...queue } = row;
  const hold = parseJson(metadata) as Record<string, unknown>;
  const [servers, consumedUntil] = await Promise.all([
    serversOf(db, { projectId, engine, queue: name }),
    row.consumer_count === 0 ? consumedUntilOf(db, projectId, id) : null,
  ]);
  return {
    ...queue,
    ...servers,
    paused_since: instantOf(hold.paused_since),
    limited_until: instantOf(hold.limited_until),
    consumed_until: earlierOf(consumedUntil, row.consumers_reported_at),
  };
}

const earlierOf = (a: Date | null, b: Date | null): Date | null => (a !== null && b !== null && b < a ? b : a);
const instantOf = (value: unknown): Date | null => (typeof value === "string" ? new Date(value) : null);

async function serversOf(
  db: BrainDatabase,
  { projectId, engine, queue }: { projectId: string; engine: string; queue: string },
) {
  const rows = await db.read
    .selectFrom("workers")
    .select(["state", (eb) => eb.fn.countAll<number>().as("count")])
    .where("project_id", "=", projectId)
    .where("engine", "=", engine)
    .where(jsonArrayHas("queues", queue))
    .groupBy("state")
    .execute();
  const of = (state: string) => Number(rows.find((row) => row.state === state)?.count ?? 0);
  return { workers_online: of("online"), workers_offline: of("offline") };
}

async function consumedUntilOf({ read }: BrainDatabase, projectId: string, queueId: string): Promise<Date | null> {
  const row = await read
    .selectFrom("queue_depths")
    .select("cell_at")
    .where("project_id", "=", projectId)
    .where("queue_id", "=", queueId)
    .where("consumer_count", ">", 0)
    .orderBy("cell_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : new Date(row.cell_at.getTime() + depthCellMs);
}

/** The worker that a task names; null when unknown. */
export async function workerOf(
  { read }: BrainDatabase,
  { projectId, engine, name, taskId }: TaskAddress & { readonly name: string },
): Promise<WorkerFacts | null> {
  const row = await read
    .selectFrom("workers")
    .select(["name", "state", "last_heartbeat", "active_tasks", "concurrency", "details_at", "state_at", "metadata"])
    .where("project_id", "=", projectId)
    .where("engine", "=", engine)
    .where("name", "=", name)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { metadata, ...worker } = row;
  return { ...worker, lists_task: listsTask((parseJson(metadata) as { active?: unknown }).active, taskId) };
}

/** Engines list ids, or objects with an `id`. */
function listsTask(active: unknown, taskId: string): boolean | null {
  if (!Array.isArray(active)) return null;
  const idOf = (entry: unknown) =>
    typeof entry === "object" && entry !== null ? ((entry as { id?: unknown }).id ?? null) : entry;
  const ids = active.map(idOf);
  return ids.every((id) => typeof id === "string") ? ids.includes(taskId) : null;
}

/** An agent of the project, revoked or not. */
export async function agentAt({ read }: BrainDatabase, projectId: string, agentId: string): Promise<AgentFacts | null> {
  const row = await read
    .selectFrom("agents")
    .select(["id", "name", "state", "last_seen_at", "revoked_at"])
    .where("id", "=", agentId)
    .where("project_id", "=", projectId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { state, ...agent } = row;
  return { ...agent, is_online: state === "online" };
}

/** Number of online agents that watch this engine. */
export const watchersOnline = (db: BrainDatabase, projectId: string, engine: string): Promise<number> =>
  countOf(
    db.read
      .selectFrom("agents")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .where("project_id", "=", projectId)
      .where("revoked_at", "is", null)
      .where("state", "=", "online")
      .where(jsonArrayHas("engine_adapters", engine)),
  );

/** Events that agents of the engine lost at `since` or later, newest first. */
export async function lossesSince(
  db: BrainDatabase,
  { projectId, engine, since }: { projectId: string; engine: string; since: Date },
): Promise<LossFacts[]> {
  const rows = await db.read
    .selectFrom("loss_intervals as l")
    .innerJoin("agents as a", "a.id", "l.agent_id")
    .select(["l.agent_id", "a.name as agent_name", "l.from_at", "l.to_at", "l.event_records", "l.reason"])
    .where("l.project_id", "=", projectId)
    .where("l.to_at", ">=", since)
    .where("l.event_records", ">", 0)
    .where(jsonArrayHas("a.engine_adapters", engine))
    .orderBy("l.to_at", "desc")
    .orderBy("l.id", "desc")
    .limit(maxLosses)
    .execute();
  return rows.map(({ from_at, to_at, ...loss }) => ({ ...loss, from: from_at, to: to_at }));
}

/** Schedules that start tasks like this one: of the engine, or of this service. Those that run come first, then the last changed. */
export async function schedulesOf(
  { read }: BrainDatabase,
  projectId: string,
  { engine, name, queue }: Pick<KnownTask, "engine" | "name" | "queue">,
): Promise<ScheduleFacts[]> {
  const rows = await read
    .selectFrom("schedules")
    .select(["name", "is_enabled", "paused_at", "quarantined_at", "updated_at"])
    .where("project_id", "=", projectId)
    .where("engine", "=", engine)
    .where("task_name", "=", name)
    .where((eb) => eb.or([eb("queue", "is", null), ...(queue === null ? [] : [eb("queue", "=", queue)])]))
    .orderBy((eb) => eb.case().when("is_enabled", "=", true).then(0).else(1).end())
    .orderBy("updated_at", "desc")
    .orderBy("id")
    .limit(maxSchedules)
    .execute();
  return rows.map(({ name, updated_at, ...row }) => ({ name, is_enabled: isRunnable(row), reported_at: updated_at }));
}
