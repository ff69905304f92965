// Rows of what happened: events, tasks, links and the counters kept by ingest.

export interface EventRow {
  id: string;
  project_id: string;
  agent_id: string;
  engine: string;
  task_id: string;
  kind: string;
  occurred_at: Date;
  /** JSON object as text, redacted. */
  payload: string;
}

export interface TaskRow {
  id: string;
  project_id: string;
  engine: string;
  task_id: string;
  name: string;
  queue: string | null;
  state: string;
  priority: string;
  args: string;
  kwargs: string;
  result: string | null;
  exception: string | null;
  traceback: string | null;
  retry_count: number;
  attempt: number;
  max_attempts: number | null;
  eta: Date | null;
  received_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  runtime_ms: number | null;
  wait_ms: number | null;
  worker_name: string | null;
  parent_task_id: string | null;
  root_task_id: string | null;
  tags: string;
  release: string | null;
  traceparent: string | null;
  fingerprint: string | null;
  last_failed_at: Date | null;
  last_event_at: Date;
  reported_by: string;
  /** The stored keys of the fold (spec part 3, section 2.5), encoded by features/tasks/projection/fold-keys.ts. */
  fold: string;
  /** Rises by one with every write; a merge is written on condition that it is unchanged. */
  row_version: number;
  created_at: Date;
  updated_at: Date;
}

/** Search text of a task (name, queue, worker, task id in lower case); rewritten only when it changes. */
export interface TaskSearchRow {
  id: string;
  project_id: string;
  received_at: Date;
  search_text: string;
}

/** Distinct values a project's tasks ever carried: field is name, queue or worker. */
export interface TaskTermRow {
  project_id: string;
  field: string;
  value: string;
  /** The value in lower case, for case-insensitive substring search. */
  folded: string;
}

export interface TaskLinkRow {
  project_id: string;
  engine: string;
  new_id: string;
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
  run_ms_sum: number;
  run_count: number;
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

export interface WorkerRollupRow {
  project_id: string;
  engine: string;
  worker: string;
  hour_at: Date;
  kind: string;
  count: number;
}

export interface TaskCountRow {
  project_id: string;
  state: string;
  count: number;
}
