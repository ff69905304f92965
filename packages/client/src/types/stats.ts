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
  commands_dispatched: number;
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
  bucket: NonNullable<TrendsQuery["bucket"]>;
  series: TrendBucket[];
}

export interface TrendsQuery {
  window?: "1h" | "6h" | "24h" | "72h" | "7d";
  bucket?: "1m" | "5m" | "15m" | "1h" | "1d";
  since?: string;
  until?: string;
}

/** Milliseconds, within 5 % of the true value. */
export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
  /** Values they are of. */
  count: number;
}

export interface Durations {
  run: Percentiles | null;
  wait: Percentiles | null;
}

export interface Latency {
  bucket: NonNullable<TrendsQuery["bucket"]>;
  /** Of all buckets together. */
  total: Durations;
  series: ({ t: string } & Durations)[];
}

/** Without since and until the last 24 hours; name and queue are exact. */
export interface LatencyQuery {
  bucket?: TrendsQuery["bucket"];
  name?: string;
  queue?: string;
  since?: string;
  until?: string;
}

export interface SlowestNames {
  /** Start of the first whole minute, hour or day that is counted. */
  since: string;
  until: string;
  /** The range before goes from here to `since`. */
  previous_since: string;
  items: { name: string; run: Percentiles; failed: number; previous: Percentiles | null }[];
}

/** A release and the time of the first event that carried it. */
export interface ReleaseMark {
  release: string;
  first_seen: string;
}
