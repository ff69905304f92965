// Rows of access control: accounts, sessions, projects, memberships, setup.

/** An account. */
export interface UserRow {
  id: string;
  email: string;
  /** The email in lower case; unique. */
  email_key: string;
  first_name: string | null;
  last_name: string | null;
  display_name: string | null;
  /** Argon2id, with its parameters. */
  password_hash: string;
  is_admin: boolean;
  is_active: boolean;
  /** IANA name. */
  timezone: string;
  /** Wrong passwords since the last correct one. */
  failed_logins: number;
  /** Sign-in is refused until this time. */
  locked_until: Date | null;
  /** When the user first signed in under a policy that requires a second factor; never cleared. */
  mfa_enforcement_started_at: Date | null;
  /** The active TOTP secret, encrypted (packages/brain/src/platform/crypto/at-rest.ts); null without a second factor. */
  mfa_secret: string | null;
  /** A secret whose first code has not been entered yet, encrypted. */
  mfa_pending_secret: string | null;
  mfa_enrolled_at: Date | null;
  /** The newest TOTP step that was used. */
  mfa_last_step: number | null;
  /** Wrong codes since the last correct one. */
  mfa_failed_codes: number;
  mfa_locked_until: Date | null;
  last_login_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** A sign-in of an account, in a browser or with `svc login`. */
export interface SessionRow {
  id: string;
  user_id: string;
  /** Hex SHA-256 of the cookie's random part. */
  token_hash: string;
  /** Token that mutating requests carry in addition to the cookie. */
  csrf_token: string;
  /** Uses the longer lifetime of "remember me". */
  is_remembered: boolean;
  issued_at: Date;
  last_seen_at: Date;
  expires_at: Date;
  ip_at_issue: string | null;
  user_agent_at_issue: string | null;
  /** When a code was last verified; null before the first one. */
  mfa_verified_at: Date | null;
  /** A trusted device replaced the code at sign-in; never counts as a verified code. */
  is_mfa_spared: boolean;
  /** When the user last entered the password or a code; null for sessions older than this column. */
  last_proof_at: Date | null;
}

/** A security event of an account that its owner should know about. */
export interface AccountNoticeRow {
  id: string;
  user_id: string;
  occurred_at: Date;
  /** Kind of event, such as a sign-in from a new browser. */
  kind: string;
  source_ip: string | null;
  user_agent: string | null;
  /** JSON object. */
  details: string;
}

/** A browser that an account has signed in from; it grants no access. */
export interface KnownDeviceRow {
  id: string;
  user_id: string;
  /** Hex SHA-256 of the cookie's 32 bytes. */
  token_hash: string;
  created_at: Date;
  last_seen_at: Date;
}

/** An unused recovery code of a second factor. */
export interface RecoveryCodeRow {
  id: string;
  user_id: string;
  /** Hex HMAC-SHA256 under the master secret. */
  code_hash: string;
}

/** A browser that an account signs in from without a code. */
export interface TrustedDeviceRow {
  id: string;
  user_id: string;
  /** Hex SHA-256 of the cookie's 32 bytes. */
  token_hash: string;
  label: string;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
}

/** A single-use link for setting a new password. */
export interface PasswordResetTokenRow {
  id: string;
  user_id: string;
  /** Hex HMAC-SHA256 of the token in the link, under the master secret. */
  token_hash: string;
  expires_at: Date;
  used_at: Date | null;
  created_at: Date;
}

/** A key that lets a program act for its owner, in all projects of the owner or in one. */
export interface ApiKeyRow {
  id: string;
  user_id: string;
  /** The only project that the key may be used in; null for all projects of its owner. */
  project_id: string | null;
  name: string;
  /** First characters of the token, to identify the key. */
  prefix: string;
  /** Hex HMAC-SHA256 under the master secret. */
  token_hash: string;
  /** JSON array of scopes. */
  scopes: string;
  /** JSON array of canonical CIDRs, or null. */
  allowed_cidrs: string | null;
  expires_at: Date | null;
  last_used_at: Date | null;
  last_used_ip: string | null;
  revoked_at: Date | null;
  revoked_reason: string | null;
  created_at: Date;
  updated_at: Date;
}

/** An invitation to join a project, by a link that is mailed or handed over. */
export interface InvitationRow {
  id: string;
  project_id: string;
  email: string;
  /** The email in lower case. */
  email_key: string;
  role: string;
  /** The account that sent it; null after that account was deleted. */
  invited_by: string | null;
  /** Hex HMAC-SHA256 of the token in the link, under the master secret. */
  token_hash: string;
  expires_at: Date;
  accepted_at: Date | null;
  accepted_by_user_id: string | null;
  revoked_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** The single-use link that creates the first account of an installation. */
export interface FirstBootTokenRow {
  id: string;
  /** Hex HMAC-SHA256 of the token in the link, under the master secret. */
  token_hash: string;
  expires_at: Date;
  used_at: Date | null;
  created_at: Date;
}

/** A project with its agents, tasks and members. */
export interface ProjectRow {
  id: string;
  /** Identifies the project in URLs; unique. */
  slug: string;
  name: string;
  description: string | null;
  environment: string;
  timezone: string;
  /** False once the project is archived. */
  is_active: boolean;
  automation_enabled: boolean;
  automation_revision: number;
  default_scheduler_owner: string;
  /** JSON array of strings, or null. */
  allowed_schedulers: string | null;
  /** JSON object with settings of the project, or null. */
  settings: string | null;
  organization_id: string | null;
  created_at: Date;
  updated_at: Date;
}

/** The role of an account in a project. */
export interface MembershipRow {
  id: string;
  user_id: string;
  project_id: string;
  /** viewer, operator, admin or auditor. */
  role: string;
  created_at: Date;
  updated_at: Date;
}

/** Named filters of the task list that a user saved in one project. */
export interface SavedViewRow {
  id: string;
  user_id: string;
  project_id: string;
  name: string;
  /** JSON object of the active filters. */
  filters: string;
  created_at: Date;
  updated_at: Date;
}

/** Facts about the installation by name, such as its id. */
export interface MetaRow {
  key: string;
  value: string;
}
