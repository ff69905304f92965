import type { DialectName } from "../../platform/database/database.ts";
import type { Migration } from "../../platform/database/migrate.ts";
import { type ColumnTypes, columnTypes, runStatements } from "./column-types.ts";

/** Events, tasks, links, and the counters that ingest keeps. Every hot table is keyed by project first. */
export const tasks: Migration = {
  name: "0003_tasks",
  async up(db, dialect) {
    const types = columnTypes(dialect);
    await runStatements(db, [...eventTables(types, dialect), ...taskTables(types, dialect), ...counterTables(types)]);
  },
};

const eventTables = (t: ColumnTypes, dialect: DialectName): string[] => [
  `CREATE TABLE events (
    id ${t.uuid} NOT NULL, project_id ${t.uuid} NOT NULL, agent_id ${t.uuid} NOT NULL, engine ${t.text} NOT NULL,
    task_id ${t.text} NOT NULL, kind ${t.text} NOT NULL, occurred_at ${t.instant} NOT NULL, payload ${t.json} NOT NULL,
    PRIMARY KEY (project_id, occurred_at, id)) ${dialect === "postgres" ? "PARTITION BY RANGE (occurred_at)" : t.options}`,
  "CREATE INDEX events_by_task ON events (project_id, engine, task_id, occurred_at)",
  "CREATE INDEX events_by_kind ON events (project_id, kind, occurred_at)",
];

const taskTables = (t: ColumnTypes, dialect: DialectName): string[] => [
  // On SQLite the row number has a name of its own, because only then does VACUUM keep it; the search of task ids refers to it.
  `CREATE TABLE tasks (
    ${dialect === "sqlite" ? "serial INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE" : `id ${t.uuid} PRIMARY KEY`}, project_id ${t.uuid} NOT NULL, engine ${t.text} NOT NULL, task_id ${t.text} NOT NULL,
    name ${t.text} NOT NULL, queue ${t.text}, state ${t.text} NOT NULL, priority ${t.text} NOT NULL,
    args ${t.json} NOT NULL, kwargs ${t.json} NOT NULL, result ${t.json}, exception ${t.text}, traceback ${t.text},
    retry_count ${t.int} NOT NULL, attempt ${t.int} NOT NULL, max_attempts ${t.int}, eta ${t.instant},
    received_at ${t.instant} NOT NULL, started_at ${t.instant}, finished_at ${t.instant}, runtime_ms ${t.int}, wait_ms ${t.int},
    worker_name ${t.text}, parent_task_id ${t.text}, root_task_id ${t.text}, tags ${t.json} NOT NULL, release ${t.text},
    traceparent ${t.text}, fingerprint ${t.text}, last_failed_at ${t.instant}, last_event_at ${t.instant} NOT NULL,
    reported_by ${t.uuid} NOT NULL, fold ${t.text} NOT NULL, row_version ${t.int} NOT NULL,
    created_at ${t.instant} NOT NULL, updated_at ${t.instant} NOT NULL,
    UNIQUE (project_id, engine, task_id)) ${t.options}`,
  "CREATE INDEX tasks_by_time ON tasks (project_id, received_at, id)",
  "CREATE INDEX tasks_by_state ON tasks (project_id, state, received_at, id)",
  "CREATE INDEX tasks_by_name ON tasks (project_id, name, received_at)",
  "CREATE INDEX tasks_by_queue ON tasks (project_id, queue, received_at)",
  "CREATE INDEX tasks_by_priority ON tasks (project_id, priority, received_at)",
  "CREATE INDEX tasks_by_worker ON tasks (project_id, worker_name, received_at)",
  "CREATE INDEX tasks_by_root ON tasks (project_id, root_task_id, received_at) WHERE root_task_id IS NOT NULL",
  "CREATE INDEX tasks_by_fingerprint ON tasks (project_id, fingerprint, last_failed_at) WHERE fingerprint IS NOT NULL",
  "CREATE INDEX tasks_by_last_event ON tasks (last_event_at)",
  `CREATE TABLE task_terms (
    project_id ${t.uuid} NOT NULL, field ${t.text} NOT NULL, value ${t.text} NOT NULL, folded ${t.text} NOT NULL,
    PRIMARY KEY (project_id, field, value)) ${t.options}`,
  `CREATE TABLE task_links (
    project_id ${t.uuid} NOT NULL, engine ${t.text} NOT NULL, new_id ${t.text} NOT NULL, old_id ${t.text} NOT NULL,
    linked_at ${t.instant} NOT NULL, PRIMARY KEY (project_id, engine, new_id)) ${t.options}`,
  "CREATE INDEX task_links_by_old ON task_links (project_id, engine, old_id, linked_at, new_id)",
];

const counterTables = (t: ColumnTypes): string[] => [
  `CREATE TABLE counter_deltas (
    seq ${t.serial} PRIMARY KEY, project_id ${t.uuid} NOT NULL, counter ${t.text} NOT NULL, bucket_at ${t.instant},
    engine ${t.text} NOT NULL, name ${t.text} NOT NULL, queue ${t.text} NOT NULL, worker ${t.text} NOT NULL, kind ${t.text} NOT NULL,
    count ${t.int} NOT NULL, run_ms_sum ${t.int} NOT NULL, run_count ${t.int} NOT NULL,
    run_histogram ${t.text}, wait_histogram ${t.text}) ${t.options}`,
  // Task counts are read with the changes that are not folded yet.
  "CREATE INDEX counter_deltas_of_states ON counter_deltas (project_id) WHERE counter = 'state'",
  `CREATE TABLE rollups (
    project_id ${t.uuid} NOT NULL, grain_minutes ${t.int} NOT NULL, bucket_at ${t.instant} NOT NULL, engine ${t.text} NOT NULL,
    name ${t.text} NOT NULL, queue ${t.text} NOT NULL, kind ${t.text} NOT NULL, count ${t.int} NOT NULL,
    run_ms_sum ${t.int} NOT NULL, run_count ${t.int} NOT NULL, run_histogram ${t.text}, wait_histogram ${t.text},
    PRIMARY KEY (project_id, bucket_at, grain_minutes, kind, engine, name, queue)) ${t.options}`,
  "CREATE INDEX rollups_by_age ON rollups (grain_minutes, bucket_at)",
  // The totals of a project, which are few among the rollups by name.
  "CREATE INDEX rollup_totals ON rollups (project_id, kind, bucket_at) WHERE engine = ''",
  `CREATE TABLE rollup_names (
    project_id ${t.uuid} NOT NULL, name ${t.text} NOT NULL, seen_at ${t.instant} NOT NULL,
    PRIMARY KEY (project_id, name)) ${t.options}`,
  `CREATE TABLE worker_rollups (
    project_id ${t.uuid} NOT NULL, engine ${t.text} NOT NULL, worker ${t.text} NOT NULL, hour_at ${t.instant} NOT NULL,
    kind ${t.text} NOT NULL, count ${t.int} NOT NULL, PRIMARY KEY (project_id, engine, worker, hour_at, kind)) ${t.options}`,
  "CREATE INDEX worker_rollups_by_age ON worker_rollups (hour_at)",
  `CREATE TABLE task_counts (
    project_id ${t.uuid} NOT NULL, state ${t.text} NOT NULL, count ${t.int} NOT NULL, PRIMARY KEY (project_id, state)) ${t.options}`,
];
