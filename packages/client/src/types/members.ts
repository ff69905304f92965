import type { ProjectRole } from "./accounts.ts";

export interface Member {
  id: string;
  user_id: string;
  project_id: string;
  user_email: string;
  user_display_name: string | null;
  role: ProjectRole;
  created_at: string;
}

export interface Invitation {
  id: string;
  project_id: string;
  email: string;
  role: ProjectRole;
  /** Id of the user who invited; null once that account is gone. */
  invited_by: string | null;
  expires_at: string;
  accepted_at: string | null;
  revoked_at: string | null;
  created_at: string;
}

export interface InvitationCreate {
  email: string;
  role?: ProjectRole;
  /** 1 to 30, default 7. */
  ttl_days?: number;
}

export interface InvitedAnswer {
  invitation: Invitation;
  /** Shown once. */
  token: string;
  /** Path and fragment of the page that accepts it. */
  accept_url_path: string;
  /** Whether the mail server took the mail. */
  email_sent: boolean;
}
