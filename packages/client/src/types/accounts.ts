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
