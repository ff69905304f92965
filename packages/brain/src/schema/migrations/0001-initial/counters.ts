import type { ColumnTypes } from "../../../platform/database/dialects/column-types.ts";

/** The counters that ingest keeps, and the figures aggregated from them. */
export function counterTables(t: ColumnTypes): readonly string[] {
  const figures = `count ${t.int} NOT NULL, run_ms_sum ${t.int} NOT NULL, run_count ${t.int} NOT NULL,
      run_histogram ${t.text}, wait_histogram ${t.text}`;
  return [
    `CREATE TABLE counter_deltas (
      seq ${t.serial} PRIMARY KEY, project_id ${t.uuid} NOT NULL, counter ${t.text} NOT NULL, bucket_at ${t.instant},
      engine ${t.text} NOT NULL, name ${t.text} NOT NULL, queue ${t.text} NOT NULL, worker ${t.text} NOT NULL, kind ${t.text} NOT NULL,
      ${figures}) ${t.options}`,
    // Task counts are read together with the pending changes.
    "CREATE INDEX counter_deltas_of_states ON counter_deltas (project_id) WHERE counter = 'state'",

    `CREATE TABLE rollups (
      project_id ${t.uuid} NOT NULL, grain_minutes ${t.int} NOT NULL, bucket_at ${t.instant} NOT NULL, engine ${t.text} NOT NULL,
      name ${t.text} NOT NULL, queue ${t.text} NOT NULL, kind ${t.text} NOT NULL, ${figures},
      PRIMARY KEY (project_id, bucket_at, grain_minutes, kind, engine, name, queue)) ${t.options}`,
    "CREATE INDEX rollups_by_age ON rollups (grain_minutes, bucket_at)",
    "CREATE INDEX rollups_by_name ON rollups (project_id, name, bucket_at)",
    "CREATE INDEX rollups_by_queue ON rollups (project_id, queue, bucket_at)",
    // The totals of a project and of its queues, which are few among the rollups by name. Project totals have no queue.
    "CREATE INDEX rollup_totals ON rollups (project_id, queue, kind, bucket_at) WHERE engine = ''",

    `CREATE TABLE rollup_names (
      project_id ${t.uuid} NOT NULL, name ${t.text} NOT NULL, seen_at ${t.instant} NOT NULL,
      PRIMARY KEY (project_id, name)) ${t.options}`,

    `CREATE TABLE name_rollups (
      project_id ${t.uuid} NOT NULL, grain_minutes ${t.int} NOT NULL, name ${t.text} NOT NULL, kind ${t.text} NOT NULL,
      bucket_at ${t.instant} NOT NULL, ${figures},
      PRIMARY KEY (project_id, grain_minutes, name, kind, bucket_at)) ${t.options}`,
    "CREATE INDEX name_rollups_by_age ON name_rollups (grain_minutes, bucket_at)",

    `CREATE TABLE worker_rollups (
      project_id ${t.uuid} NOT NULL, engine ${t.text} NOT NULL, worker ${t.text} NOT NULL, hour_at ${t.instant} NOT NULL,
      kind ${t.text} NOT NULL, count ${t.int} NOT NULL, PRIMARY KEY (project_id, engine, worker, hour_at, kind)) ${t.options}`,
    "CREATE INDEX worker_rollups_by_age ON worker_rollups (hour_at)",

    `CREATE TABLE task_counts (
      project_id ${t.uuid} NOT NULL, state ${t.text} NOT NULL, count ${t.int} NOT NULL,
      PRIMARY KEY (project_id, state)) ${t.options}`,

    `CREATE TABLE releases (
      project_id ${t.uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE, release ${t.text} NOT NULL,
      first_seen_at ${t.instant} NOT NULL, noted_at ${t.instant} NOT NULL, PRIMARY KEY (project_id, release)) ${t.options}`,
    "CREATE INDEX releases_by_time ON releases (project_id, first_seen_at)",
  ];
}
