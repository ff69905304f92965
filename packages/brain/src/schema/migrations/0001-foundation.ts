import type { Migration } from "../../platform/database/migrate.ts";
import { type ColumnTypes, columnTypes, runStatements } from "./column-types.ts";

/** Accounts, projects, the audit chain, commands. */
export const foundation: Migration = {
  name: "0001_foundation",
  async up(db, dialect) {
    const types = columnTypes(dialect);
    await runStatements(db, [...accessTables(types), ...auditTables(types), ...commandTables(types)]);
  },
};

const accessTables = (t: ColumnTypes): string[] => [
  `CREATE TABLE meta (key ${t.text} PRIMARY KEY, value ${t.text} NOT NULL) ${t.options}`,
  `CREATE TABLE users (
    id ${t.uuid} PRIMARY KEY, email ${t.text} NOT NULL, email_key ${t.text} NOT NULL UNIQUE,
    first_name ${t.text}, last_name ${t.text}, display_name ${t.text}, password_hash ${t.text} NOT NULL,
    is_admin ${t.bool} NOT NULL, is_active ${t.bool} NOT NULL, timezone ${t.text} NOT NULL,
    failed_logins ${t.int} NOT NULL DEFAULT 0, locked_until ${t.instant},
    mfa_enforcement_started_at ${t.instant}, last_login_at ${t.instant},
    created_at ${t.instant} NOT NULL, updated_at ${t.instant} NOT NULL) ${t.options}`,
  `CREATE TABLE sessions (
    id ${t.uuid} PRIMARY KEY, user_id ${t.uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    token_hash ${t.text} NOT NULL UNIQUE, csrf_token ${t.text} NOT NULL, is_remembered ${t.bool} NOT NULL,
    issued_at ${t.instant} NOT NULL, last_seen_at ${t.instant} NOT NULL, expires_at ${t.instant} NOT NULL,
    ip_at_issue ${t.text}, user_agent_at_issue ${t.text}, mfa_verified_at ${t.instant}) ${t.options}`,
  "CREATE INDEX sessions_by_user ON sessions (user_id, issued_at)",
  "CREATE INDEX sessions_by_expiry ON sessions (expires_at)",
  `CREATE TABLE first_boot_tokens (
    id ${t.uuid} PRIMARY KEY, token_hash ${t.text} NOT NULL UNIQUE, expires_at ${t.instant} NOT NULL,
    used_at ${t.instant}, created_at ${t.instant} NOT NULL) ${t.options}`,
  `CREATE TABLE projects (
    id ${t.uuid} PRIMARY KEY, slug ${t.text} NOT NULL UNIQUE, name ${t.text} NOT NULL, description ${t.text},
    environment ${t.text} NOT NULL, timezone ${t.text} NOT NULL, is_active ${t.bool} NOT NULL,
    automation_enabled ${t.bool} NOT NULL, automation_revision ${t.int} NOT NULL,
    default_scheduler_owner ${t.text} NOT NULL, allowed_schedulers ${t.json}, settings ${t.json},
    organization_id ${t.uuid}, created_at ${t.instant} NOT NULL, updated_at ${t.instant} NOT NULL) ${t.options}`,
  `CREATE TABLE memberships (
    id ${t.uuid} PRIMARY KEY, user_id ${t.uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    project_id ${t.uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE, role ${t.text} NOT NULL,
    created_at ${t.instant} NOT NULL, updated_at ${t.instant} NOT NULL, UNIQUE (user_id, project_id)) ${t.options}`,
  "CREATE INDEX memberships_by_project ON memberships (project_id, created_at)",
];

const auditTables = (t: ColumnTypes): string[] => [
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

const commandTables = (t: ColumnTypes): string[] => [
  `CREATE TABLE commands (
    id ${t.uuid} PRIMARY KEY, project_id ${t.uuid} NOT NULL, issued_by ${t.uuid}, agent_id ${t.uuid},
    action ${t.text} NOT NULL, target_type ${t.text} NOT NULL, target_id ${t.text}, payload ${t.json} NOT NULL,
    idempotency_key ${t.text}, request_digest ${t.text}, status ${t.text} NOT NULL, result ${t.json}, error ${t.text},
    delivery_claim_token ${t.text}, issued_at ${t.instant} NOT NULL, dispatched_at ${t.instant}, acked_at ${t.instant},
    last_sent_at ${t.instant}, completed_at ${t.instant}, timeout_at ${t.instant}, source_ip ${t.text},
    UNIQUE (project_id, idempotency_key)) ${t.options}`,
  "CREATE INDEX commands_by_agent ON commands (agent_id, status, issued_at)",
  "CREATE INDEX commands_by_project ON commands (project_id, issued_at, id)",
  "CREATE INDEX commands_by_age ON commands (issued_at)",
  "CREATE INDEX commands_open ON commands (timeout_at) WHERE status IN ('pending', 'dispatched')",
];
