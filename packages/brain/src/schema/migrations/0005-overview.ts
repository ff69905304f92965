import type { Migration } from "../../platform/database/migrate.ts";
import { columnTypes, runStatements } from "./column-types.ts";

/** What the overview reads: figures by name and hour, releases, and what agents lost. */
export const overview: Migration = {
  name: "0005_overview",
  async up(db, dialect) {
    const t = columnTypes(dialect);
    await runStatements(db, [
      `CREATE TABLE name_rollups (
        project_id ${t.uuid} NOT NULL, grain_minutes ${t.int} NOT NULL, name ${t.text} NOT NULL, kind ${t.text} NOT NULL,
        bucket_at ${t.instant} NOT NULL, count ${t.int} NOT NULL, run_ms_sum ${t.int} NOT NULL, run_count ${t.int} NOT NULL,
        run_histogram ${t.text}, wait_histogram ${t.text},
        PRIMARY KEY (project_id, grain_minutes, name, kind, bucket_at)) ${t.options}`,
      "CREATE INDEX name_rollups_by_age ON name_rollups (grain_minutes, bucket_at)",
      "CREATE INDEX rollups_by_name ON rollups (project_id, name, bucket_at)",
      "CREATE INDEX rollups_by_queue ON rollups (project_id, queue, bucket_at)",
      `CREATE TABLE releases (
        project_id ${t.uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE, release ${t.text} NOT NULL,
        first_seen_at ${t.instant} NOT NULL, noted_at ${t.instant} NOT NULL, PRIMARY KEY (project_id, release)) ${t.options}`,
      "CREATE INDEX releases_by_time ON releases (project_id, first_seen_at)",
      `CREATE TABLE loss_marks (
        agent_id ${t.uuid} NOT NULL REFERENCES agents (id) ON DELETE CASCADE, scope ${t.text} NOT NULL, counters ${t.text} NOT NULL,
        seen_at ${t.instant} NOT NULL, PRIMARY KEY (agent_id, scope)) ${t.options}`,
      "CREATE INDEX loss_marks_by_age ON loss_marks (seen_at)",
      `CREATE TABLE loss_intervals (
        id ${t.uuid} PRIMARY KEY, project_id ${t.uuid} NOT NULL, agent_id ${t.uuid} NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
        reason ${t.text} NOT NULL, from_at ${t.instant} NOT NULL, to_at ${t.instant} NOT NULL, event_records ${t.int} NOT NULL,
        other_frames ${t.int} NOT NULL) ${t.options}`,
      "CREATE INDEX loss_intervals_by_project ON loss_intervals (project_id, to_at)",
      "CREATE INDEX loss_intervals_by_agent ON loss_intervals (agent_id, reason, to_at)",
      "CREATE INDEX loss_intervals_by_age ON loss_intervals (to_at)",
    ]);
  },
};
