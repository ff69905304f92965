// The audit chain (spec part 3, section 8). Instants here have six decimals, so they are kept as text-free microseconds.

export interface AuditLogRow {
  id: string;
  project_id: string | null;
  user_id: string | null;
  api_key_id: string | null;
  action: string;
  target_type: string;
  target_id: string | null;
  result: string;
  outcome: string | null;
  event_id: string | null;
  actor_ref: string | null;
  source_ip: string | null;
  user_agent: string | null;
  /** The exact canonical text that was signed. */
  metadata: string;
  /** Microseconds since the epoch, UTC. */
  occurred_us: number;
  row_hmac: string;
  prev_row_hmac: string | null;
  hmac_version: number;
  hmac_key_id: string;
  chain_generation: string;
  legacy_class: string | null;
}

export interface AuditChainStateRow {
  /** Always 1. */
  singleton: number;
  /** Canonical JSON of the authenticated state (8.5). */
  state: string;
  state_hmac: string;
}
