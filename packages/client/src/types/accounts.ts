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
