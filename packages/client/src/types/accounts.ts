export type ProjectRole = "viewer" | "operator" | "admin" | "auditor";

export interface UserPublic {
  id: string;
  email: string;
  first_name?: string | null;
  last_name?: string | null;
  display_name?: string | null;
  is_admin: boolean;
  timezone: string;
  created_at: string;
}

export interface MembershipSummary {
  project_id: string;
  project_slug: string;
  project_name: string;
  role: ProjectRole;
}

export interface Me extends UserPublic {
  memberships: MembershipSummary[];
  mfa_required: boolean;
  mfa_enrollment_required: boolean;
  mfa_enrollment_deadline?: string | null;
  session: SessionLimits;
}

export interface SessionLimits {
  /** When the session ends unless it is used before; null for a remembered one, which has no idle limit. */
  idle_expires_at: string | null;
  /** When it ends however busy it is. */
  expires_at: string;
}

export interface LoginRequest {
  email: string;
  password: string;
  remember_me?: boolean;
}

export interface LoginResponse {
  user: UserPublic;
  mfa_required: boolean;
  mfa_enrollment_required: boolean;
  mfa_enrollment_deadline?: string | null;
}

/** What a user may change of the own account; null takes a name away. */
export interface ProfileChanges {
  first_name?: string | null;
  last_name?: string | null;
  display_name?: string | null;
  timezone?: string;
}

export interface PasswordPolicy {
  min_length: number;
  max_length: number;
  required_character_classes: number;
  character_class_names: string[];
  /** From this length on the mix of characters no longer matters. */
  exempt_length: number;
}

export interface PasswordChange {
  current_password: string;
  new_password: string;
  /** End all API keys of the user as well. */
  revoke_api_keys?: boolean;
}

/** Something that happened to an account. */
export interface AccountNotice {
  id: string;
  occurred_at: string;
  kind:
    | "api_key.created"
    | "api_keys.revoked"
    | "password.changed"
    | "factor.added"
    | "factor.removed"
    | "recovery_codes.regenerated"
    | "device.trusted"
    | "sign_in.new_device";
  /** Null unless the owner did it. */
  source_ip: string | null;
  user_agent: string | null;
  details: {
    /** Of the API key or the trusted browser. */
    name?: string;
    /** First characters of the API key. */
    prefix?: string;
    by?: "owner" | "reset_link" | "administrator" | "operator";
    /** The second factor took the place of another one. */
    replaced?: boolean;
    api_keys_revoked?: number;
  };
}

export interface SecurityHistoryPage {
  items: AccountNotice[];
  next_cursor: string | null;
}

export interface UserSession {
  id: string;
  issued_at: string;
  /** Written at most once a minute. */
  last_seen_at: string;
  expires_at: string;
  ip_at_issue?: string | null;
  user_agent_at_issue?: string | null;
  is_current: boolean;
}

export interface InvitationPreview {
  email: string;
  role: ProjectRole;
  project_slug: string;
  project_name: string;
  expires_at: string;
  /** Whether that address has an account, which then has to sign in to accept. */
  existing_account: boolean;
}

export interface InvitationAccept {
  token: string;
  /** Both only for a new account. */
  display_name?: string;
  password?: string;
}

export interface InvitationAccepted {
  user_id: string;
  project_slug: string;
  role: ProjectRole;
}
