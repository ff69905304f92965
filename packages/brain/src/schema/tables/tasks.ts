// Rows of what happened: events, tasks, links and the counters kept by ingest.

/** An event as its agent reported it; divided by day on PostgreSQL. */
export interface EventRow {
  /** The agent's, or made from the content of the event; a repetition of it changes nothing. */
  id: string;
  /** The project of its agent. */
  project_id: string;
  /** The agent that reported it first. */
  agent_id: string;
  /** Name of the engine. */
  engine: string;
  /** As the engine names it; empty when the event concerns no task. */
  task_id: string;
  /** What happened, such as task.started; `unknown` for a kind that is not known. */
  kind: string;
  /** By the clock of the engine or agent, to the millisecond. */
  occurred_at: Date;
  /** JSON object as text, redacted; `exception` of a failure as error class and message. */
  payload: string;
}

/** A task: the join of its events. */
export interface TaskRow {
  /** Made from project, engine and task id. On SQLite each row also has a number, `serial`, which the search of task ids refers to. */
  id: string;
  /** The project of the agent that reported it. */
  project_id: string;
  /** Name of the engine. */
  engine: string;
  /** As the engine names it. */
  task_id: string;
  /** Function or job name; `unknown` until an event carries it. */
  name: string;
  /** The queue that it was sent to; null until an event carries it. */
  queue: string | null;
  /** As of the event that counts last. */
  state: string;
  /** critical, high, normal or low. */
  priority: string;
  /** JSON array, redacted. */
  args: string;
  /** JSON object, redacted. */
  kwargs: string;
  /** JSON, redacted. */
  result: string | null;
  /** Error class and message of the failure, retry or rejection that decides the state. */
  exception: string | null;
  /** Stack trace of that failure or retry. */
  traceback: string | null;
  /** Retries that are known of, over all attempts. */
  retry_count: number;
  /** Attempts before the present one. */
  attempt: number;
  /** Attempts after which the engine gives up; null when not reported. */
  max_attempts: number | null;
  /** Not to be started before. */
  eta: Date | null;
  /** Time of its earliest event. */
  received_at: Date;
  /** Start of the present attempt; null before it starts. */
  started_at: Date | null;
  /** End of the present attempt; null unless it has ended. */
  finished_at: Date | null;
  /** How long it ran, as the engine measured it. */
  runtime_ms: number | null;
  /** From when it could have started to its start. */
  wait_ms: number | null;
  /** The worker that took it last. */
  worker_name: string | null;
  /** Task id of the task that sent it. */
  parent_task_id: string | null;
  /** Task id of the first task of its tree. */
  root_task_id: string | null;
  /** JSON object. */
  tags: string;
  /** Of the program that ran it. */
  release: string | null;
  /** W3C trace context. */
  traceparent: string | null;
  /** Failures with the same one are one issue. */
  fingerprint: string | null;
  /** Time of the failure that the fingerprint is of. */
  last_failed_at: Date | null;
  /** Time of its latest event; retention counts from it. */
  last_event_at: Date;
  /** The agent that reported the newest event. */
  reported_by: string;
  /** The stored keys of the fold, encoded by features/tasks/projection/fold-keys.ts. */
  fold: string;
  /** Rises by one with every write; a merge is written on condition that it is unchanged. */
  row_version: number;
  /** When its first event was stored. */
  created_at: Date;
  /** When the row was last written. */
  updated_at: Date;
}

/**
 * Search text of a task (name, queue, worker, task id in lower case); rewritten only when it changes. Its last line has a trigram index
 * where the extension pg_trgm is there.
 */
export interface TaskSearchRow {
  id: string;
  project_id: string;
  received_at: Date;
  /** One value a line; the task id is the last. */
  search_text: string;
}

/** The trigrams of task ids, keyed by tasks.serial; filled behind ingest. */
export interface TaskIdSearchRow {
  task_id: string;
}

/** How far the index of task ids has come; one row. */
export interface TaskSearchMarkRow {
  /** Always 1. */
  singleton: number;
  /** The newest tasks.serial that is indexed. */
  serial: number;
  /** Another number after terms were removed. */
  terms_epoch: number;
}

/** Distinct values a project's tasks ever carried: field is name, queue or worker. */
export interface TaskTermRow {
  project_id: string;
  field: string;
  value: string;
  /** The value in lower case, for case-insensitive substring search. */
  folded: string;
}

/** Says that a task was made by retrying another one. */
export interface TaskLinkRow {
  project_id: string;
  engine: string;
  /** The task that the retry made. */
  new_id: string;
  /** The task that was retried. */
  old_id: string;
  linked_at: Date;
}

/** One appended change of one counter; folded into the counter tables within 5 s, then deleted. */
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

/** Counts of events by engine, name and queue; beside them by bucket and kind a total of the project, of which these three are empty. */
export interface RollupRow {
  project_id: string;
  /** Width of the bucket in minutes: 1, or 60 once folded to hours. */
  grain_minutes: number;
  bucket_at: Date;
  engine: string;
  name: string;
  queue: string;
  kind: string;
  count: number;
  /** Of those with a known run time, which `run_count` counts. */
  run_ms_sum: number;
  run_count: number;
  /** JSON object bucket index -> count, or null. */
  run_histogram: string | null;
  wait_histogram: string | null;
}

/**
 * Counts of ended and started tasks by name, and under the empty name of the whole project: by the hour for eight days and by the day, of
 * the whole project by the quarter of an hour as well. It is what comparing names and long ranges reads, of which rollups would take a row
 * for each minute, engine and queue.
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

/** A release that tasks of a project carried. */
export interface ReleaseRow {
  project_id: string;
  release: string;
  first_seen_at: Date;
  /** When it was last seen, to within a day. */
  noted_at: Date;
}

/** A task name that a project's rollups tell apart; at most 1000 per project, the rest count as `__overflow__`. */
export interface RollupNameRow {
  project_id: string;
  name: string;
  /** When it was last counted, to within a day. */
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

/** How many tasks of a project are in each state. */
export interface TaskCountRow {
  project_id: string;
  state: string;
  count: number;
}
