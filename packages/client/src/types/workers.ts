export interface Worker {
  id: string;
  project_id: string;
  engine: string;
  name: string;
  hostname?: string | null;
  pid?: number | null;
  concurrency?: number | null;
  queues: string[];
  state: "online" | "offline" | "draining" | "unknown";
  /** When the worker itself last said that it is online or offline; null when it never did. */
  state_reported_at?: string | null;
  last_heartbeat?: string | null;
  load_average?: number[] | number | null;
  memory_bytes?: number | null;
  active_tasks: number;
  /** The four counters cover the last 24 hours. */
  processed: number;
  failed: number;
  succeeded: number;
  retried: number;
  created_at: string;
}

export interface WorkerDetail extends Worker {
  /** What the engine's adapter said of it: `stats`, `active`, `active_queues`, `registered`, `conf`; each may be absent. */
  metadata: Record<string, unknown>;
}
