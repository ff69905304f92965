import type { Migration } from "../../platform/database/migrate.ts";
import { columnTypes, runStatements } from "./column-types.ts";

/** When a session last proved who uses it, what happened to an account, and the browsers an account has signed in from. */
export const accountSecurity: Migration = {
  name: "0016_account_security",
  async up(db, dialect) {
    const t = columnTypes(dialect);
    const ofUser = `user_id ${t.uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE`;
    await runStatements(db, [
      `ALTER TABLE sessions ADD COLUMN last_proof_at ${t.instant}`,
      `CREATE TABLE account_notices (
        id ${t.uuid} PRIMARY KEY, ${ofUser}, occurred_at ${t.instant} NOT NULL, kind ${t.text} NOT NULL,
        source_ip ${t.text}, user_agent ${t.text}, details ${t.json} NOT NULL) ${t.options}`,
      "CREATE INDEX account_notices_by_user ON account_notices (user_id, occurred_at, id)",
      "CREATE INDEX account_notices_by_age ON account_notices (occurred_at)",
      `CREATE TABLE known_devices (
        id ${t.uuid} PRIMARY KEY, ${ofUser}, token_hash ${t.text} NOT NULL, created_at ${t.instant} NOT NULL,
        last_seen_at ${t.instant} NOT NULL, UNIQUE (user_id, token_hash)) ${t.options}`,
      "CREATE INDEX known_devices_by_token ON known_devices (token_hash)",
    ]);
  },
};
