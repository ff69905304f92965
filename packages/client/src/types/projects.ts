export interface Project {
  id: string;
  slug: string;
  name: string;
  description?: string | null;
  environment: string;
  timezone: string;
  /** False for an archived project. */
  is_active: boolean;
  automation_enabled: boolean;
  automation_revision: number;
  default_scheduler_owner: string;
  /** Null for every scheduler. */
  allowed_schedulers?: string[] | null;
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

export interface ProjectChanges {
  slug?: string;
  name?: string;
  description?: string | null;
  environment?: string;
  timezone?: string;
  default_scheduler_owner?: string;
  allowed_schedulers?: readonly string[] | null;
  /** Restores an archived project; `archiveProject` archives. */
  is_active?: true;
}
