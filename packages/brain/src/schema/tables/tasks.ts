// Rows of events, tasks, task links and the counters that ingest keeps.

/** An event as its agent reported it; partitioned by day on PostgreSQL. */
export interface EventRow {
  /** Assigned by the agent or derived from the content of the event; a duplicate changes nothing. */
  id: string;
  /** Project of the agent. */
  project_id: string;
  /** The agent that reported it first. */
  agent_id: string;
  /** Name of the engine. */
  engine: string;
  /** As the engine names it; empty when the event concerns no task. */
  task_id: string;
  /** Kind of event, such as task.started; `unknown` for an unrecognised kind. */
  kind: string;
  /** Time by the clock of the engine or agent, with millisecond precision. */
  occurred_at: Date;
  /** JSON object, redacted; `exception` of a failure is its error class and message. */
  payload: string;
}

/** A task: the merged state of its events. */
export interface TaskRow {
  /** Derived from project, engine and task id. On SQLite each row also has a number, `serial`, which the task id search refers to. */
  id: string;
  /** The project of the agent that reported it. */
  project_id: string;
  /** Name of the engine. */
  engine: string;
  /** As the engine names it. */
  task_id: string;
  /** Function or job name; `unknown` until an event carries it. */
  name: string;
  /** Queue it was sent to; null until an event carries it. */
  queue: string | null;
  /** State after its deciding event. */
  state: string;
  /** critical, high, normal or low. */
  priority: string;
  /** JSON array, redacted. */
  args: string;
  /** JSON object, redacted. */
  kwargs: string;
  /** JSON, redacted. */
  result: string | null;
  /** Error class and message of the deciding failure, retry or rejection. */
  exception: string | null;
  /** Stack trace of that failure or retry. */
  traceback: string | null;
  /** Known retries over all attempts. */
  retry_count: number;
  /** Attempts before the current one. */
  attempt: number;
  /** Attempts after which the engine gives up; null when not reported. */
  max_attempts: number | null;
  /** Earliest start time. */
  eta: Date | null;
  /** Time of its earliest event. */
  received_at: Date;
  /** Start of the current attempt; null before it starts. */
  started_at: Date | null;
  /** End of the current attempt; null unless it has ended. */
  finished_at: Date | null;
  /** Run time as measured by the engine. */
  runtime_ms: number | null;
  /** Time from its earliest possible start to its actual start. */
  wait_ms: number | null;
  /** The worker that last ran it. */
  worker_name: string | null;
  /** Task id of the task that sent it. */
  parent_task_id: string | null;
  /** Task id of the first task of its tree. */
  root_task_id: string | null;
  /** JSON object. */
  tags: string;
  /** Release of the program that ran it. */
  release: string | null;
  /** W3C trace context. */
  traceparent: string | null;
  /** Failures with the same fingerprint form one issue. */
  fingerprint: string | null;
  /** Time of the failure that the fingerprint describes. */
  last_failed_at: Date | null;
  /** Time of its latest event; retention is measured from it. */
  last_event_at: Date;
  /** The agent that reported the newest event. */
  reported_by: string;
  /** Ordering keys of the merged fields, encoded by packages/brain/src/features/tasks/projection/fold-keys.ts. */
  fold: string;
  /** Incremented with every write; a merge is written only if it is unchanged. */
  row_version: number;
  /** When its first event was stored. */
  created_at: Date;
  /** When the row was last written. */
  updated_at: Date;
}

/**
 * Search text of a task (name, queue, worker, task id in lower case); rewritten only when it changes. Its last line has a trigram index
 * if the extension pg_trgm is installed.
 */
export interface TaskSearchRow {
  id: string;
  project_id: string;
  received_at: Date;
  /** One value per line; the task id is last. */
  search_text: string;
}

/** The trigrams of task ids, keyed by tasks.serial; filled after ingest. */
export interface TaskIdSearchRow {
  task_id: string;
}

/** Progress of the task id index; one row. */
export interface TaskSearchMarkRow {
  /** Always 1. */
  singleton: number;
  /** The newest tasks.serial that is indexed. */
  serial: number;
  /** Changes when terms are removed. */
  terms_epoch: number;
}

/** Distinct values that tasks of a project have had; `field` is name, queue or worker. */
export interface TaskTermRow {
  project_id: string;
  field: string;
  value: string;
  /** The value in lower case, for case-insensitive substring search. */
  folded: string;
}

/** Links a task created by a retry to the task that was retried. */
export interface TaskLinkRow {
  project_id: string;
  engine: string;
  /** The task that the retry created. */
  new_id: string;
  /** The task that was retried. */
  old_id: string;
  linked_at: Date;
}

/** A pending change of one counter; added to the counter tables every second, then deleted. */
export interface CounterDeltaRow {
  seq: number;
  project_id: string;
  /** rollup, worker or state. */
  counter: string;
  /** Start of the minute (rollup) or hour (worker); null for state. */
  bucket_at: Date | null;
  engine: string;
  name: string;
  queue: string;
  worker: string;
  /** Event kind, or the task state for counter `state`. */
  kind: string;
  count: number;
  run_ms_sum: number;
  run_count: number;
  /** JSON object bucket index -> count, or null. */
  run_histogram: string | null;
  wait_histogram: string | null;
}

/**
 * Counts of events by engine, name and queue. Rows with an empty engine and name are totals: of one queue, or of the whole project if the
 * queue is empty too.
 */
export interface RollupRow {
  project_id: string;
  /** Width of the bucket in minutes: 1, or 60 after aggregation to hours. */
  grain_minutes: number;
  bucket_at: Date;
  engine: string;
  name: string;
  queue: string;
  kind: string;
  count: number;
  /** Total run time of the events counted in `run_count`. */
  run_ms_sum: number;
  run_count: number;
  /** JSON object bucket index -> count, or null. */
  run_histogram: string | null;
  wait_histogram: string | null;
}

/**
 * Counts of started, retried and finished tasks by name; rows with an empty name count the whole project. Buckets are days, hours for the last eight
 * days, and quarter hours for the whole project only. Comparisons of names and long ranges read this table, because rollups have a row for
 * each minute, engine and queue.
 */
export interface NameRollupRow {
  project_id: string;
  /** 15, 60 or 1440. */
  grain_minutes: number;
  name: string;
  kind: string;
  bucket_at: Date;
  count: number;
  run_ms_sum: number;
  run_count: number;
  /** JSON object bucket index -> count, or null. */
  run_histogram: string | null;
  wait_histogram: string | null;
}

/** A release that tasks of a project reported. */
export interface ReleaseRow {
  project_id: string;
  release: string;
  first_seen_at: Date;
  /** When it was last seen, accurate to a day. */
  noted_at: Date;
}

/** A task name with its own rollups; at most 1000 per project, the rest are counted as `__overflow__`. */
export interface RollupNameRow {
  project_id: string;
  name: string;
  /** When it was last counted, accurate to a day. */
  seen_at: Date;
}

/** Counts of events by worker and hour. */
export interface WorkerRollupRow {
  project_id: string;
  engine: string;
  worker: string;
  /** Start of the hour. */
  hour_at: Date;
  kind: string;
  count: number;
}

/** Number of tasks of a project by state. */
export interface TaskCountRow {
  project_id: string;
  state: string;
  count: number;
}
