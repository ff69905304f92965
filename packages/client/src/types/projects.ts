export interface Project {
  id: string;
  slug: string;
  name: string;
  description?: string | null;
  environment: string;
  timezone: string;
  is_active: boolean;
  automation_enabled: boolean;
  automation_revision: number;
  default_scheduler_owner: string;
  created_at: string;
  updated_at: string;
}

export interface ProjectCreate {
  slug: string;
  name: string;
  description?: string;
  environment?: string;
  timezone?: string;
}
