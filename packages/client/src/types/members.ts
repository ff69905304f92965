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
