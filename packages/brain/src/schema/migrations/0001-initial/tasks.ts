import type { ColumnTypes } from "../../../platform/database/dialects/column-types.ts";

/** Events, tasks and what finds tasks. Every hot table is keyed by project first. */
export const taskTables = (t: ColumnTypes): readonly string[] => [
  `CREATE TABLE events (
    id ${t.uuid} NOT NULL, project_id ${t.uuid} NOT NULL, agent_id ${t.uuid} NOT NULL, engine ${t.text} NOT NULL,
    task_id ${t.text} NOT NULL, kind ${t.text} NOT NULL, occurred_at ${t.instant} NOT NULL, payload ${t.json} NOT NULL,
    PRIMARY KEY (project_id, occurred_at, id)) ${t.partitionedBy("occurred_at")}`,
  "CREATE INDEX events_by_task ON events (project_id, engine, task_id, occurred_at)",
  "CREATE INDEX events_by_kind ON events (project_id, kind, occurred_at)",

  `CREATE TABLE tasks (
    ${t.numberedId}, project_id ${t.uuid} NOT NULL, engine ${t.text} NOT NULL, task_id ${t.text} NOT NULL,
    name ${t.text} NOT NULL, queue ${t.text}, state ${t.text} NOT NULL, priority ${t.text} NOT NULL,
    args ${t.json} NOT NULL, kwargs ${t.json} NOT NULL, result ${t.json}, exception ${t.text}, traceback ${t.text},
    retry_count ${t.int} NOT NULL, attempt ${t.int} NOT NULL, max_attempts ${t.int}, eta ${t.instant},
    received_at ${t.instant} NOT NULL, started_at ${t.instant}, finished_at ${t.instant},
    runtime_ms ${t.int}, wait_ms ${t.int}, worker_name ${t.text}, parent_task_id ${t.text}, root_task_id ${t.text},
    tags ${t.json} NOT NULL, release ${t.text}, traceparent ${t.text}, fingerprint ${t.text},
    last_failed_at ${t.instant}, last_event_at ${t.instant} NOT NULL, reported_by ${t.uuid} NOT NULL,
    fold ${t.text} NOT NULL, row_version ${t.int} NOT NULL,
    created_at ${t.instant} NOT NULL, updated_at ${t.instant} NOT NULL,
    UNIQUE (project_id, engine, task_id)) ${t.options}`,
  "CREATE INDEX tasks_by_time ON tasks (project_id, received_at, id)",
  "CREATE INDEX tasks_by_state ON tasks (project_id, state, received_at, id)",
  "CREATE INDEX tasks_by_name ON tasks (project_id, name, received_at)",
  "CREATE INDEX tasks_by_queue ON tasks (project_id, queue, received_at)",
  "CREATE INDEX tasks_by_priority ON tasks (project_id, priority, received_at)",
  "CREATE INDEX tasks_by_worker ON tasks (project_id, worker_name, received_at)",
  "CREATE INDEX tasks_by_root ON tasks (project_id, root_task_id, received_at) WHERE root_task_id IS NOT NULL",
  "CREATE INDEX tasks_by_last_event ON tasks (last_event_at)",
  // Breakdowns compare the failed tasks of a name, which are few among its tasks.
  "CREATE INDEX tasks_failed_by_name ON tasks (project_id, name, received_at) WHERE state = 'failure'",
  // Failures by issue and by time, with what counting them needs, so that the rows of the tasks are not read.
  `CREATE INDEX tasks_by_fingerprint ON tasks (project_id, fingerprint, last_failed_at, state, engine)
    WHERE fingerprint IS NOT NULL`,
  `CREATE INDEX tasks_by_failure ON tasks (project_id, last_failed_at, fingerprint, engine)
    WHERE fingerprint IS NOT NULL`,
  // Scanned by searches for the text of an error.
  `CREATE INDEX tasks_by_error ON tasks (project_id, received_at, id)
    WHERE exception IS NOT NULL OR traceback IS NOT NULL`,

  `CREATE TABLE task_links (
    project_id ${t.uuid} NOT NULL, engine ${t.text} NOT NULL, new_id ${t.text} NOT NULL, old_id ${t.text} NOT NULL,
    linked_at ${t.instant} NOT NULL, PRIMARY KEY (project_id, engine, new_id)) ${t.options}`,
  "CREATE INDEX task_links_by_old ON task_links (project_id, engine, old_id, linked_at, new_id)",

  `CREATE TABLE task_terms (
    project_id ${t.uuid} NOT NULL, field ${t.text} NOT NULL, value ${t.text} NOT NULL, folded ${t.text} NOT NULL,
    PRIMARY KEY (project_id, field, value)) ${t.options}`,

  ...searchTables(t),
];

/**
 * Substring search over tasks. Names, queues and workers repeat, so a search scans their distinct values; only task ids have a trigram
 * index. PostgreSQL: one search text per task in a separate table, so that state changes do not rewrite it, with the index over its last
 * line, the task id; distinct values come from the indexes of tasks. SQLite: the values are in task_terms, and the index is filled after
 * ingest, keyed by tasks.serial.
 */
const searchTables = (t: ColumnTypes): readonly string[] => [
  ...t.onPostgres([
    `CREATE TABLE task_search (
      id ${t.uuid} PRIMARY KEY, project_id ${t.uuid} NOT NULL, received_at ${t.instant} NOT NULL, search_text ${t.text} NOT NULL)`,
    // Without the right to install the extension, or without its files, search scans in received_at order.
    `DO $$ BEGIN CREATE EXTENSION IF NOT EXISTS pg_trgm;
      EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported THEN NULL; END $$`,
    `DO $$ BEGIN
      IF EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') THEN
        CREATE INDEX task_search_trigrams ON task_search USING gin (split_part(search_text, E'\\n', -1) gin_trgm_ops);
      END IF;
    END $$`,
  ]),
  ...t.onSqlite([
    `CREATE VIRTUAL TABLE task_id_search USING fts5 (
      task_id, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram')`,
    `CREATE TABLE task_search_mark (
      singleton ${t.int} PRIMARY KEY CHECK (singleton = 1), serial ${t.int} NOT NULL, terms_epoch ${t.int} NOT NULL) ${t.options}`,
    "INSERT INTO task_search_mark (singleton, serial, terms_epoch) VALUES (1, 0, 0)",
    // SQLite may give the serial of a deleted newest row to the next one, which then must be indexed again.
    `CREATE TRIGGER tasks_gone AFTER DELETE ON tasks BEGIN
      DELETE FROM task_id_search WHERE rowid = old.serial;
      UPDATE task_search_mark SET serial = coalesce((SELECT max(serial) FROM tasks), 0)
        WHERE serial > coalesce((SELECT max(serial) FROM tasks), 0);
    END`,
  ]),
];
