import type { ColumnTypes } from "../../../platform/database/dialects/column-types.ts";

/** The audit chain. */
export const auditTables = (t: ColumnTypes): readonly string[] => [
  `CREATE TABLE audit_log (
    id ${t.uuid} PRIMARY KEY, project_id ${t.uuid}, user_id ${t.uuid}, api_key_id ${t.uuid},
    action ${t.text} NOT NULL, target_type ${t.text} NOT NULL, target_id ${t.text}, result ${t.text} NOT NULL,
    outcome ${t.text}, event_id ${t.text}, actor_ref ${t.text}, source_ip ${t.text}, user_agent ${t.text},
    metadata ${t.text} NOT NULL, occurred_us ${t.int} NOT NULL, row_hmac ${t.text} NOT NULL, prev_row_hmac ${t.text},
    hmac_version ${t.int} NOT NULL, hmac_key_id ${t.text} NOT NULL, chain_generation ${t.uuid} NOT NULL,
    legacy_class ${t.text}, UNIQUE (chain_generation, prev_row_hmac)) ${t.options}`,
  "CREATE UNIQUE INDEX audit_log_first ON audit_log (chain_generation) WHERE prev_row_hmac IS NULL",
  "CREATE INDEX audit_log_by_project ON audit_log (project_id, occurred_us)",
  "CREATE INDEX audit_log_by_user ON audit_log (user_id, occurred_us)",
  "CREATE INDEX audit_log_by_action ON audit_log (action, occurred_us)",
  "CREATE INDEX audit_log_in_order ON audit_log (occurred_us, id)",

  `CREATE TABLE audit_chain_state (
    singleton ${t.int} PRIMARY KEY CHECK (singleton = 1), state ${t.text} NOT NULL, state_hmac ${t.text} NOT NULL) ${t.options}`,
];
