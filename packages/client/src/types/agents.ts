import type { AgentStatusSample as ReportedSample } from "./api.generated.ts";

export interface TelemetryLoss {
  event_records?: number;
  command_results?: number;
  other_frames?: number;
  unclassified_frames?: number;
  capacity_evicted_frames?: number;
  content_rejected_frames?: number;
  adapter_events?: Record<string, number>;
}

/** The service forwards the payload as the agent reported it. These are its known members. */
export interface AgentStatusSample extends ReportedSample {
  payload: {
    telemetry_loss?: TelemetryLoss;
    buffer_depth?: number;
    buffer_oldest_age_seconds?: number;
    current_session_age_seconds?: number;
    /** By the agent's clock. */
    last_successful_connect_at?: string | null;
    connection_failure_streak?: number;
    agent_version?: string;
    [key: string]: unknown;
  };
}
