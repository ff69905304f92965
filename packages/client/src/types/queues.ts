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
  metadata: Record<string, unknown>;
  created_at: string;
}
