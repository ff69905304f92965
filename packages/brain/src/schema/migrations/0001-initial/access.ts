import type { ColumnTypes } from "../../../platform/database/dialects/column-types.ts";

/** Accounts and how they sign in, projects and who may do what in them. */
export function accessTables(t: ColumnTypes): readonly string[] {
  const ofUser = `user_id ${t.uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE`;
  const ofProject = `project_id ${t.uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE`;
  return [
    `CREATE TABLE meta (key ${t.text} PRIMARY KEY, value ${t.text} NOT NULL) ${t.options}`,

    `CREATE TABLE users (
      id ${t.uuid} PRIMARY KEY, email ${t.text} NOT NULL, email_key ${t.text} NOT NULL UNIQUE,
      first_name ${t.text}, last_name ${t.text}, display_name ${t.text}, password_hash ${t.text} NOT NULL,
      is_admin ${t.bool} NOT NULL, is_active ${t.bool} NOT NULL, timezone ${t.text} NOT NULL,
      failed_logins ${t.int} NOT NULL DEFAULT 0, locked_until ${t.instant},
      mfa_enforcement_started_at ${t.instant}, last_login_at ${t.instant},
      created_at ${t.instant} NOT NULL, updated_at ${t.instant} NOT NULL,
      mfa_secret ${t.text}, mfa_pending_secret ${t.text}, mfa_enrolled_at ${t.instant}, mfa_last_step ${t.int},
      mfa_failed_codes ${t.int} NOT NULL DEFAULT 0, mfa_locked_until ${t.instant}) ${t.options}`,
    "CREATE INDEX users_by_age ON users (created_at, id)",

    `CREATE TABLE sessions (
      id ${t.uuid} PRIMARY KEY, ${ofUser}, token_hash ${t.text} NOT NULL UNIQUE,
      csrf_token ${t.text} NOT NULL, is_remembered ${t.bool} NOT NULL,
      issued_at ${t.instant} NOT NULL, last_seen_at ${t.instant} NOT NULL, expires_at ${t.instant} NOT NULL,
      ip_at_issue ${t.text}, user_agent_at_issue ${t.text}, mfa_verified_at ${t.instant},
      is_mfa_spared ${t.bool} NOT NULL DEFAULT ${t.no}, last_proof_at ${t.instant}) ${t.options}`,
    "CREATE INDEX sessions_by_user ON sessions (user_id, issued_at)",
    "CREATE INDEX sessions_by_expiry ON sessions (expires_at)",

    `CREATE TABLE mfa_recovery_codes (
      id ${t.uuid} PRIMARY KEY, ${ofUser}, code_hash ${t.text} NOT NULL, UNIQUE (user_id, code_hash)) ${t.options}`,

    `CREATE TABLE trusted_devices (
      id ${t.uuid} PRIMARY KEY, ${ofUser}, token_hash ${t.text} NOT NULL UNIQUE, label ${t.text} NOT NULL,
      created_at ${t.instant} NOT NULL, last_seen_at ${t.instant} NOT NULL, expires_at ${t.instant} NOT NULL,
      revoked_at ${t.instant}) ${t.options}`,
    "CREATE INDEX trusted_devices_by_user ON trusted_devices (user_id, created_at)",
    "CREATE INDEX trusted_devices_by_expiry ON trusted_devices (expires_at)",

    `CREATE TABLE known_devices (
      id ${t.uuid} PRIMARY KEY, ${ofUser}, token_hash ${t.text} NOT NULL,
      created_at ${t.instant} NOT NULL, last_seen_at ${t.instant} NOT NULL, UNIQUE (user_id, token_hash)) ${t.options}`,
    "CREATE INDEX known_devices_by_token ON known_devices (token_hash)",

    `CREATE TABLE account_notices (
      id ${t.uuid} PRIMARY KEY, ${ofUser}, occurred_at ${t.instant} NOT NULL, kind ${t.text} NOT NULL,
      source_ip ${t.text}, user_agent ${t.text}, details ${t.json} NOT NULL) ${t.options}`,
    "CREATE INDEX account_notices_by_user ON account_notices (user_id, occurred_at, id)",
    "CREATE INDEX account_notices_by_age ON account_notices (occurred_at)",

    `CREATE TABLE password_reset_tokens (
      id ${t.uuid} PRIMARY KEY, ${ofUser}, token_hash ${t.text} NOT NULL UNIQUE, expires_at ${t.instant} NOT NULL,
      used_at ${t.instant}, created_at ${t.instant} NOT NULL) ${t.options}`,
    "CREATE INDEX password_reset_tokens_by_user ON password_reset_tokens (user_id, created_at)",
    "CREATE INDEX password_reset_tokens_by_expiry ON password_reset_tokens (expires_at)",

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
      id ${t.uuid} PRIMARY KEY, ${ofUser}, ${ofProject}, role ${t.text} NOT NULL,
      created_at ${t.instant} NOT NULL, updated_at ${t.instant} NOT NULL, UNIQUE (user_id, project_id)) ${t.options}`,
    "CREATE INDEX memberships_by_project ON memberships (project_id, created_at)",

    `CREATE TABLE invitations (
      id ${t.uuid} PRIMARY KEY, ${ofProject}, email ${t.text} NOT NULL, email_key ${t.text} NOT NULL, role ${t.text} NOT NULL,
      invited_by ${t.uuid}, token_hash ${t.text} NOT NULL UNIQUE, expires_at ${t.instant} NOT NULL, accepted_at ${t.instant},
      accepted_by_user_id ${t.uuid}, revoked_at ${t.instant},
      created_at ${t.instant} NOT NULL, updated_at ${t.instant} NOT NULL) ${t.options}`,
    "CREATE INDEX invitations_by_project ON invitations (project_id, created_at)",
    "CREATE INDEX invitations_by_expiry ON invitations (expires_at)",

    `CREATE TABLE api_keys (
      id ${t.uuid} PRIMARY KEY, ${ofUser}, project_id ${t.uuid} REFERENCES projects (id) ON DELETE CASCADE,
      name ${t.text} NOT NULL, prefix ${t.text} NOT NULL, token_hash ${t.text} NOT NULL UNIQUE, scopes ${t.json} NOT NULL,
      allowed_cidrs ${t.json}, expires_at ${t.instant}, last_used_at ${t.instant}, last_used_ip ${t.text},
      revoked_at ${t.instant}, revoked_reason ${t.text},
      created_at ${t.instant} NOT NULL, updated_at ${t.instant} NOT NULL) ${t.options}`,
    "CREATE INDEX api_keys_by_user ON api_keys (user_id, created_at)",
    "CREATE INDEX api_keys_by_project ON api_keys (project_id)",

    `CREATE TABLE saved_views (
      id ${t.uuid} PRIMARY KEY, ${ofUser}, ${ofProject}, name ${t.text} NOT NULL, filters ${t.json} NOT NULL,
      created_at ${t.instant} NOT NULL, updated_at ${t.instant} NOT NULL, UNIQUE (user_id, project_id, name)) ${t.options}`,
    "CREATE INDEX saved_views_by_project ON saved_views (project_id)",
  ];
}
