// Commands: instructions to agents. Issue and delivery rules: features/commands.

/** An instruction to an agent. */
export interface CommandRow {
  id: string;
  project_id: string;
  /** The account; null for the service itself, and once the account was deleted. */
  issued_by: string | null;
  /** Who carries it out. */
  agent_id: string | null;
  action: string;
  /** What it acts on, such as a task or a queue. */
  target_type: string;
  target_id: string | null;
  /** Which engine carries it out; null when the agent is to use the only one that it has. */
  engine: string | null;
  /** JSON object for the agent. */
  payload: string;
  /** Unique in the project; a request that is repeated with it is answered by this command. */
  idempotency_key: string | null;
  /** Of the request that came with the key. */
  request_digest: string | null;
  /** docs/states/command.md. */
  status: string;
  /** JSON of the agent's result. */
  result: string | null;
  error: string | null;
  /** What acknowledgement and result must carry; given by the claim. */
  delivery_claim_token: string | null;
  issued_at: Date;
  dispatched_at: Date | null;
  acked_at: Date | null;
  last_sent_at: Date | null;
  completed_at: Date | null;
  /** Without a result by then it has timed out. */
  timeout_at: Date | null;
  source_ip: string | null;
}
