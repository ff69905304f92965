import type { Migration } from "../../platform/database/migrate.ts";
import { columnTypes, runStatements } from "./column-types.ts";

/** Second factors, trusted devices, API keys, invitations and password resets. */
export const accounts: Migration = {
  name: "0011_accounts",
  async up(db, dialect) {
    const t = columnTypes(dialect);
    const ofUser = `user_id ${t.uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE`;
    const ofProject = `project_id ${t.uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE`;
    await runStatements(db, [
      `ALTER TABLE users ADD COLUMN mfa_secret ${t.text}`,
      `ALTER TABLE users ADD COLUMN mfa_pending_secret ${t.text}`,
      `ALTER TABLE users ADD COLUMN mfa_enrolled_at ${t.instant}`,
      `ALTER TABLE users ADD COLUMN mfa_last_step ${t.int}`,
      `ALTER TABLE users ADD COLUMN mfa_failed_codes ${t.int} NOT NULL DEFAULT 0`,
      `ALTER TABLE users ADD COLUMN mfa_locked_until ${t.instant}`,
      "CREATE INDEX users_by_age ON users (created_at, id)",
      "CREATE INDEX commands_by_issuer ON commands (issued_by) WHERE issued_by IS NOT NULL",
      `ALTER TABLE sessions ADD COLUMN is_mfa_spared ${t.bool} NOT NULL DEFAULT ${t.no}`,
      `CREATE TABLE mfa_recovery_codes (
        id ${t.uuid} PRIMARY KEY, ${ofUser}, code_hash ${t.text} NOT NULL, UNIQUE (user_id, code_hash)) ${t.options}`,
      `CREATE TABLE trusted_devices (
        id ${t.uuid} PRIMARY KEY, ${ofUser}, token_hash ${t.text} NOT NULL UNIQUE, label ${t.text} NOT NULL,
        created_at ${t.instant} NOT NULL, last_seen_at ${t.instant} NOT NULL, expires_at ${t.instant} NOT NULL,
        revoked_at ${t.instant}) ${t.options}`,
      "CREATE INDEX trusted_devices_by_user ON trusted_devices (user_id, created_at)",
      "CREATE INDEX trusted_devices_by_expiry ON trusted_devices (expires_at)",
      `CREATE TABLE password_reset_tokens (
        id ${t.uuid} PRIMARY KEY, ${ofUser}, token_hash ${t.text} NOT NULL UNIQUE, expires_at ${t.instant} NOT NULL,
        used_at ${t.instant}, created_at ${t.instant} NOT NULL) ${t.options}`,
      "CREATE INDEX password_reset_tokens_by_user ON password_reset_tokens (user_id, created_at)",
      "CREATE INDEX password_reset_tokens_by_expiry ON password_reset_tokens (expires_at)",
      `CREATE TABLE api_keys (
        id ${t.uuid} PRIMARY KEY, ${ofUser}, project_id ${t.uuid} REFERENCES projects (id) ON DELETE CASCADE,
        name ${t.text} NOT NULL, prefix ${t.text} NOT NULL, token_hash ${t.text} NOT NULL UNIQUE, scopes ${t.json} NOT NULL,
        allowed_cidrs ${t.json}, expires_at ${t.instant}, last_used_at ${t.instant}, last_used_ip ${t.text},
        revoked_at ${t.instant}, revoked_reason ${t.text}, created_at ${t.instant} NOT NULL, updated_at ${t.instant} NOT NULL) ${t.options}`,
      "CREATE INDEX api_keys_by_user ON api_keys (user_id, created_at)",
      "CREATE INDEX api_keys_by_project ON api_keys (project_id)",
      `CREATE TABLE invitations (
        id ${t.uuid} PRIMARY KEY, ${ofProject}, email ${t.text} NOT NULL, email_key ${t.text} NOT NULL, role ${t.text} NOT NULL,
        invited_by ${t.uuid}, token_hash ${t.text} NOT NULL UNIQUE, expires_at ${t.instant} NOT NULL, accepted_at ${t.instant},
        accepted_by_user_id ${t.uuid}, revoked_at ${t.instant}, created_at ${t.instant} NOT NULL, updated_at ${t.instant} NOT NULL) ${t.options}`,
      "CREATE INDEX invitations_by_project ON invitations (project_id, created_at)",
      "CREATE INDEX invitations_by_expiry ON invitations (expires_at)",
    ]);
  },
};
