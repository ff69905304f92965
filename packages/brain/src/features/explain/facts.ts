import type { TaskState } from "@svc/protocol";

/** States in which nothing is to come, unless an attempt begins anew. */
export const finalStates: readonly TaskState[] = ["success", "failure", "revoked", "rejected"];

/** What the brain knows about one task and all around it. Instants are by the clocks of those who told them. */
export interface Facts {
  readonly now: Date;
  readonly task: TaskFacts;
  /** The queue that the task names; null when it names none, or no queue of that name was heard of. */
  readonly queue: QueueFacts | null;
  /** The worker that the task names. */
  readonly worker: WorkerFacts | null;
  /** The agent that told of the task last. */
  readonly agent: AgentFacts | null;
  /** Agents online now that watch the engine. */
  readonly watchers_online: number;
  /** What agents of the engine lost since the task was last told of, newest first. */
  readonly losses: readonly LossFacts[];
  /** Run times of the task's name in the last days; null when none were measured. */
  readonly runs: RunFacts | null;
  /** Tasks that name this one as their parent and have not ended. */
  readonly open_children: number;
  /** Schedules of the engine that start tasks of this name on this queue. */
  readonly schedules: readonly ScheduleFacts[];
}

export interface TaskFacts {
  readonly engine: string;
  readonly task_id: string;
  readonly state: TaskState;
  readonly queue: string | null;
  readonly worker_name: string | null;
  readonly eta: Date | null;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
  readonly runtime_ms: number | null;
  readonly last_event_at: Date;
}

export interface QueueFacts {
  readonly name: string;
  readonly pending_count: number;
  readonly consumer_count: number;
  readonly oldest_waiting_since: Date | null;
  /** With the depth comes what holds the queue. */
  readonly depth_reported_at: Date | null;
  readonly consumers_reported_at: Date | null;
  readonly paused_since: Date | null;
  readonly limited_until: Date | null;
  /** When a consumer was last reported, to within two minutes; null when there are some now, or none within a day. */
  readonly consumed_until: Date | null;
  /** Workers that said that they serve it. */
  readonly workers_online: number;
  readonly workers_offline: number;
}

export interface WorkerFacts {
  readonly name: string;
  readonly state: string;
  readonly last_heartbeat: Date | null;
  readonly active_tasks: number;
  readonly concurrency: number | null;
  /** When it last told of itself in a heartbeat, and when it last said that it is online or offline. */
  readonly details_at: Date | null;
  readonly state_at: Date | null;
  /** Whether it lists the task among those it has in hand; null when it lists none at all. */
  readonly lists_task: boolean | null;
}

export interface AgentFacts {
  readonly id: string;
  readonly name: string;
  readonly is_online: boolean;
  readonly last_seen_at: Date | null;
  readonly revoked_at: Date | null;
}

export interface LossFacts {
  readonly agent_id: string;
  readonly agent_name: string;
  readonly from: Date;
  readonly to: Date;
  readonly event_records: number;
  readonly reason: string;
}

export interface RunFacts {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly count: number;
}

export interface ScheduleFacts {
  readonly name: string;
  readonly is_enabled: boolean;
  readonly told_at: Date;
}
