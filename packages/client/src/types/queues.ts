export interface Queue {
  id: string;
  project_id: string;
  name: string;
  engine: string;
  broker_type?: string | null;
  broker_url_hint?: string | null;
  last_seen_at?: string | null;
  pending_count: number;
  consumer_count: number;
  oldest_waiting_since?: string | null;
  /** When the two counts were reported; null when they never were, and then 0 says nothing. */
  depth_reported_at?: string | null;
  consumers_reported_at?: string | null;
  metadata: Record<string, unknown>;
  created_at: string;
}

/** What went into a queue and came out of it within the asked minutes. */
export interface QueueActivity {
  queue_id: string;
  engine: string;
  name: string;
  entered: number;
  started: number;
  ended: number;
  failed: number;
  /** Greatest depth per step, oldest first; null where none was reported. */
  pending: (number | null)[];
}

export interface QueueActivities {
  from: string;
  to: string;
  step_seconds: number;
  /** More queues exist than are shown. */
  truncated: boolean;
  items: QueueActivity[];
}

export interface QueueDepths {
  from: string;
  to: string;
  /** Nothing older is kept. */
  kept_from: string;
  step_seconds: number;
  /** Steps in which depths were reported, oldest first. */
  series: { t: string; pending: number; consumers: number }[];
}
