export type AgentState = "online" | "offline" | "unknown";

export interface Agent {
  id: string;
  project_id: string;
  name: string;
  state: AgentState;
  protocol_version: string | null;
  framework_adapter: string | null;
  /** Empty means "not reported" for an agent that never sent a WebSocket hello. */
  engine_adapters: string[];
  scheduler_adapters: string[];
  /** Adapter name to its capability tokens. */
  capabilities: Record<string, unknown>;
  last_seen_at?: string | null;
  last_connect_at?: string | null;
  created_at: string;
  is_outdated: boolean;
  host_name?: string | null;
  agent_version?: string | null;
  version_status?: "current" | "outdated" | "newer_than_known" | "incompatible" | "unknown" | null;
  transport?: "ws" | "longpoll" | null;
  metadata: Record<string, unknown>;
}

export interface MintedAgent {
  agent: Agent;
  /** Shown once; the server keeps only a digest. */
  token: string;
  hmac_secret: string;
}

export interface AgentProcess {
  id: string;
  agent_id: string;
  project_id: string;
  worker_id?: string | null;
  role?: string | null;
  framework?: string | null;
  pid?: number | null;
  started_at?: string | null;
  state: string;
  last_seen_at?: string | null;
  last_connect_at?: string | null;
  created_at: string;
  updated_at: string;
}

export interface TelemetryLoss {
  event_records?: number;
  command_results?: number;
  other_frames?: number;
  unclassified_frames?: number;
  capacity_evicted_frames?: number;
  content_rejected_frames?: number;
  adapter_events?: Record<string, number>;
}

export interface AgentStatusSample {
  id: number | string;
  captured_at: string;
  payload: {
    telemetry_loss?: TelemetryLoss;
    buffer_depth?: number;
    buffer_oldest_age_seconds?: number;
    current_session_age_seconds?: number;
    /** By the agent's own clock. */
    last_successful_connect_at?: string | null;
    connection_failure_streak?: number;
    agent_version?: string;
    [key: string]: unknown;
  };
}

/** A stretch of time in which an agent had to give up records. */
export interface CompletenessGap {
  agent_id: string;
  agent_name: string;
  from: string;
  to: string;
  event_records: number;
  other_frames: number;
  reason: "capacity" | "content" | "adapter" | "unknown";
}

export interface Completeness {
  /** In order of time; counts are of whole gaps, also where one begins before the range. */
  gaps: CompletenessGap[];
  /** Losses before this are no longer known. */
  kept_since: string;
  /** There were more than a thousand losses, of which the newest are shown. */
  is_cut: boolean;
}
