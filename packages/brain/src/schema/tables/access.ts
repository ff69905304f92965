// Rows of who may do what: accounts, sessions, projects, memberships, setup.

export interface UserRow {
  id: string;
  email: string;
  /** The e-mail in lower case; unique. */
  email_key: string;
  first_name: string | null;
  last_name: string | null;
  display_name: string | null;
  password_hash: string;
  is_admin: boolean;
  is_active: boolean;
  timezone: string;
  failed_logins: number;
  locked_until: Date | null;
  mfa_enforcement_started_at: Date | null;
  last_login_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

export interface SessionRow {
  id: string;
  user_id: string;
  /** Hex SHA-256 of the cookie's random part. */
  token_hash: string;
  csrf_token: string;
  is_remembered: boolean;
  issued_at: Date;
  last_seen_at: Date;
  expires_at: Date;
  ip_at_issue: string | null;
  user_agent_at_issue: string | null;
  mfa_verified_at: Date | null;
}

export interface FirstBootTokenRow {
  id: string;
  token_hash: string;
  expires_at: Date;
  used_at: Date | null;
  created_at: Date;
}

export interface ProjectRow {
  id: string;
  slug: string;
  name: string;
  description: string | null;
  environment: string;
  timezone: string;
  is_active: boolean;
  automation_enabled: boolean;
  automation_revision: number;
  default_scheduler_owner: string;
  /** JSON array of strings, or null. */
  allowed_schedulers: string | null;
  settings: string | null;
  organization_id: string | null;
  created_at: Date;
  updated_at: Date;
}

export interface MembershipRow {
  id: string;
  user_id: string;
  project_id: string;
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

export interface MetaRow {
  key: string;
  value: string;
}
