import type { ProjectRole } from "./accounts.ts";
import type { Priority } from "./tasks.ts";

export interface HomeFigures {
  /** Tasks that ended in the last 24 hours, however they did. */
  tasks_24h: number;
  failures_24h: number;
  /** Of those that succeeded or failed, 0 to 1. */
  failure_rate_24h: number;
  workers_online: number;
  workers_total: number;
  agents_online: number;
  agents_total: number;
  stuck_commands: number;
}

export type ProjectHealth = "idle" | "offline" | "degraded" | "healthy";

export interface HomeProject extends HomeFigures {
  id: string;
  slug: string;
  name: string;
  environment: string;
  /** Null for an administrator who is no member. */
  role: ProjectRole | null;
  /** To the minute; to the hour when more than 48 hours ago. */
  last_activity_at: string | null;
  health: ProjectHealth;
  backlog: number;
  /** Tasks that ended in each of the last 24 UTC hours; the last one is the running hour. */
  tasks_by_hour: number[];
}

export interface HomeAttention {
  kind: "agents_offline" | "failure_rate" | "stuck_commands" | "issue_spike" | "misfires" | "breaker_tripped";
  severity: "critical" | "warning";
  project_id: string;
  project_slug: string;
  project_name: string;
  /** A sentence without the project's name. */
  message: string;
  count: number | null;
  /** Of agents_offline: when the one that is silent longest was last seen. */
  since: string | null;
  /** Of issue_spike: the failures that look alike, and what the newest of them is like. */
  issue?: { fingerprint: string; sample_exception: string | null; sample_task_name: string | null };
}

export interface HomeSummary {
  user: { id: string; email: string; display_name: string | null; is_admin: boolean };
  aggregate: HomeFigures;
  projects: HomeProject[];
  /** Critical first. */
  attention: HomeAttention[];
}

export interface RecentFailure {
  id: string;
  occurred_at: string;
  project_id: string;
  project_slug: string;
  project_name: string;
  engine: string;
  task_id: string;
  task_name: string | null;
  worker: string | null;
  exception: string | null;
  priority: Priority;
}

export interface RecentFailurePage {
  items: RecentFailure[];
  next_cursor: string | null;
}
