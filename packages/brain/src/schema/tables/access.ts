// Rows of who may do what: accounts, sessions, projects, memberships, setup.

/** An account. */
export interface UserRow {
  id: string;
  email: string;
  /** The e-mail in lower case; unique. */
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
  /** Wrong passwords since the last right one. */
  failed_logins: number;
  /** Sign-in is refused until then. */
  locked_until: Date | null;
  /** When the user first signed in under a policy that asks for a second factor; never cleared. */
  mfa_enforcement_started_at: Date | null;
  /** The active TOTP secret, encrypted (platform/crypto/at-rest.ts); null without a second factor. */
  mfa_secret: string | null;
  /** A secret that waits for its first code, encrypted. */
  mfa_pending_secret: string | null;
  mfa_enrolled_at: Date | null;
  /** The newest TOTP step that was used up. */
  mfa_last_step: number | null;
  /** Wrong codes since the last right one. */
  mfa_failed_codes: number;
  mfa_locked_until: Date | null;
  last_login_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** A browser session of an account. */
export interface SessionRow {
  id: string;
  user_id: string;
  /** Hex SHA-256 of the cookie's random part. */
  token_hash: string;
  /** What requests that change something carry beside the cookie. */
  csrf_token: string;
  /** Lives for the longer time that "remember me" gives. */
  is_remembered: boolean;
  issued_at: Date;
  last_seen_at: Date;
  expires_at: Date;
  ip_at_issue: string | null;
  user_agent_at_issue: string | null;
  /** When a code was last right; null before the first one. */
  mfa_verified_at: Date | null;
  /** A trusted device spared the code at sign-in; never counts as a verified code. */
  is_mfa_spared: boolean;
  /** When its user last gave the password or a code; null for a session from before this was kept. */
  last_proof_at: Date | null;
}

/** Something that happened to an account and that its owner should know. */
export interface AccountNoticeRow {
  id: string;
  user_id: string;
  occurred_at: Date;
  /** What happened, such as a sign-in from a new browser. */
  kind: string;
  source_ip: string | null;
  user_agent: string | null;
  /** JSON object. */
  details: string;
}

/** A browser that an account has signed in from; it grants nothing. */
export interface KnownDeviceRow {
  id: string;
  user_id: string;
  /** Hex SHA-256 of the cookie's 32 bytes. */
  token_hash: string;
  created_at: Date;
  last_seen_at: Date;
}

/** A recovery code of a second factor that has not been used. */
export interface RecoveryCodeRow {
  id: string;
  user_id: string;
  /** Hex HMAC-SHA256 under the master. */
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

/** A link by which the owner of an account gives it a new password; good once. */
export interface PasswordResetTokenRow {
  id: string;
  user_id: string;
  /** Hex HMAC-SHA256 of the token in the link, under the master. */
  token_hash: string;
  expires_at: Date;
  used_at: Date | null;
  created_at: Date;
}

/** A key by which a program acts for its owner, in all projects of the owner or in one. */
export interface ApiKeyRow {
  id: string;
  user_id: string;
  /** The only project that the key may be used in; null for all of the owner. */
  project_id: string | null;
  name: string;
  /** The token's first characters, to tell keys apart. */
  prefix: string;
  /** Hex HMAC-SHA256 under the master. */
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

/** An offer to join a project, sent by mail. */
export interface InvitationRow {
  id: string;
  project_id: string;
  email: string;
  /** The e-mail in lower case. */
  email_key: string;
  role: string;
  /** The account; null once it was deleted. */
  invited_by: string | null;
  /** Hex HMAC-SHA256 of the token in the link, under the master. */
  token_hash: string;
  expires_at: Date;
  accepted_at: Date | null;
  accepted_by_user_id: string | null;
  revoked_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** The link that makes the first account of an installation; good once. */
export interface FirstBootTokenRow {
  id: string;
  /** Hex HMAC-SHA256 of the token in the link, under the master. */
  token_hash: string;
  expires_at: Date;
  used_at: Date | null;
  created_at: Date;
}

/** A project: what agents, tasks and members belong to. */
export interface ProjectRow {
  id: string;
  /** Names the project in URLs; unique. */
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
  /** JSON object of the project's own, or null. */
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

/** Filters of the task list that a user keeps under a name, in one project. */
export interface SavedViewRow {
  id: string;
  user_id: string;
  project_id: string;
  name: string;
  /** JSON object of filters that restrict. */
  filters: string;
  created_at: Date;
  updated_at: Date;
}

/** Facts of the installation by name, such as its id. */
export interface MetaRow {
  key: string;
  value: string;
}
