import type { TaskState } from "@svc/protocol";
import type { AgentRow, LossIntervalRow, QueueRow, TaskRow, WorkerRow } from "../../schema/tables/index.ts";
import type { runTimesOf } from "../stats/index.ts";

/** States that end a task, unless another attempt begins. */
export const finalStates: readonly TaskState[] = ["success", "failure", "revoked", "rejected"];

/** What is stored about one task and everything around it. Instants use the clock of the reporting agent or engine. */
export interface Facts {
  readonly now: Date;
  readonly task: TaskFacts;
  /** The queue that the task names; null when it names none, or that queue was never reported. */
  readonly queue: QueueFacts | null;
  /** The worker that the task names. */
  readonly worker: WorkerFacts | null;
  /** The agent that last reported the task. */
  readonly agent: AgentFacts | null;
  /** Agents online now that watch the engine. */
  readonly watchers_online: number;
  /** What agents of the engine lost since the task's last report, newest first. */
  readonly losses: readonly LossFacts[];
  /** Run times of the task's name in the last days; null when none were measured. */
  readonly runs: RunFacts | null;
  /** Unfinished tasks that name this one as their parent. */
  readonly open_children: number;
  /** Schedules of the engine that start tasks of this name on this queue. */
  readonly schedules: readonly ScheduleFacts[];
}

export interface TaskFacts
  extends Pick<
    TaskRow,
    | "engine"
    | "task_id"
    | "queue"
    | "worker_name"
    | "eta"
    | "started_at"
    | "finished_at"
    | "runtime_ms"
    | "last_event_at"
  > {
  readonly state: TaskState;
}

export interface QueueFacts
  extends Pick<
    QueueRow,
    "name" | "pending_count" | "consumer_count" | "oldest_waiting_since" | "depth_reported_at" | "consumers_reported_at"
  > {
  /** Reported together with the depth. */
  readonly paused_since: Date | null;
  readonly limited_until: Date | null;
  /** When a consumer was last reported, to within two minutes; null when there are some now, or none within a day. */
  readonly consumed_until: Date | null;
  /** Workers that report this queue as theirs. */
  readonly workers_online: number;
  readonly workers_offline: number;
}

export interface WorkerFacts
  extends Pick<
    WorkerRow,
    "name" | "state" | "last_heartbeat" | "active_tasks" | "concurrency" | "details_at" | "state_at"
  > {
  /** Whether it lists the task as running; null when it reports no list. */
  readonly lists_task: boolean | null;
}

export interface AgentFacts extends Pick<AgentRow, "id" | "name" | "last_seen_at" | "revoked_at"> {
  readonly is_online: boolean;
}

export interface LossFacts extends Pick<LossIntervalRow, "agent_id" | "event_records" | "reason"> {
  readonly agent_name: string;
  readonly from: Date;
  readonly to: Date;
}

export type RunFacts = NonNullable<Awaited<ReturnType<typeof runTimesOf>>>;

export interface ScheduleFacts {
  readonly name: string;
  readonly is_enabled: boolean;
  readonly reported_at: Date;
}
