import type { TaskState } from "./tasks.ts";

export interface ProjectStats {
  tasks_by_state: Partial<Record<TaskState, number>>;
  tasks_total: number;
  tasks_failed_24h: number;
  tasks_succeeded_24h: number;
  failure_rate_24h: number;
  agents_online: number;
  agents_offline: number;
  workers_online: number;
  workers_offline: number;
  commands_pending: number;
  queue_depths: { name: string; engine: string; pending_count: number }[];
}

export interface TrendBucket {
  t: string;
  success: number;
  failure: number;
  retry: number;
  revoked: number;
  total: number;
  avg_runtime_ms?: number | null;
}

export interface Trends {
  window: string;
  bucket: string;
  series: TrendBucket[];
}

export interface TrendsQuery {
  window?: "1h" | "6h" | "24h" | "72h" | "7d";
  bucket?: "1m" | "5m" | "15m" | "1h" | "1d";
  since?: string;
  until?: string;
}
