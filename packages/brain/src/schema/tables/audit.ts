// The audit chain. Its instants have six decimals, so they are stored as microseconds.

/** A row of the audit chain; see docs/reference/audit-format.md. */
export interface AuditLogRow {
  id: string;
  /** Null for events of the whole installation. */
  project_id: string | null;
  /** Null for other actors and after the account was deleted. */
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
  /** HMAC of the row, including the HMAC of the previous row. */
  row_hmac: string;
  /** Null for the first row of a generation. */
  prev_row_hmac: string | null;
  hmac_version: number;
  hmac_key_id: string;
  /** Id of the chain; starting a new chain changes it. */
  chain_generation: string;
  /** Always null. */
  legacy_class: string | null;
}

/** The head of the audit chain; one row. */
export interface AuditChainStateRow {
  /** Always 1. */
  singleton: number;
  /** Canonical JSON of the authenticated state. */
  state: string;
  /** HMAC of the state under the audit secret. */
  state_hmac: string;
}
