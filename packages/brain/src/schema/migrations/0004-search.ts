import type { Migration } from "../../platform/database/migrate.ts";
import { columnTypes, runStatements } from "./column-types.ts";

/**
 * Substring search over tasks. Names, queues and workers repeat, so a search looks through their distinct values; only task ids have a
 * trigram index. PostgreSQL: one search text per task in a table of its own, so that state changes do not rewrite it, with the index over
 * its last line, the task id; distinct values are stepped through in the indexes of tasks. SQLite: the values are in task_terms, and the
 * index is filled behind ingest (features/tasks/projection/search-sqlite-store.ts), keyed by tasks.serial.
 */
export const search: Migration = {
  name: "0004_search",
  async up(db, dialect) {
    const t = columnTypes(dialect);
    await runStatements(
      db,
      dialect === "postgres"
        ? [
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
          ]
        : [
            `CREATE VIRTUAL TABLE task_id_search USING fts5 (
              task_id, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram')`,
            `CREATE TABLE task_search_mark (
              singleton INTEGER PRIMARY KEY CHECK (singleton = 1), serial INTEGER NOT NULL, terms_epoch INTEGER NOT NULL) STRICT`,
            "INSERT INTO task_search_mark (singleton, serial, terms_epoch) VALUES (1, 0, 0)",
            // SQLite may give the serial of a deleted newest row to the next one, which then must be indexed again.
            `CREATE TRIGGER tasks_gone AFTER DELETE ON tasks BEGIN
               DELETE FROM task_id_search WHERE rowid = old.serial;
               UPDATE task_search_mark SET serial = coalesce((SELECT max(serial) FROM tasks), 0)
                 WHERE serial > coalesce((SELECT max(serial) FROM tasks), 0);
             END`,
          ],
    );
  },
};
