// Commands: instructions to agents. Issue and delivery rules: features/commands.

export interface CommandRow {
  id: string;
  project_id: string;
  issued_by: string | null;
  agent_id: string | null;
  action: string;
  target_type: string;
  target_id: string | null;
  payload: string;
  idempotency_key: string | null;
  request_digest: string | null;
  status: string;
  result: string | null;
  error: string | null;
  delivery_claim_token: string | null;
  issued_at: Date;
  dispatched_at: Date | null;
  acked_at: Date | null;
  last_sent_at: Date | null;
  completed_at: Date | null;
  timeout_at: Date | null;
  source_ip: string | null;
}
