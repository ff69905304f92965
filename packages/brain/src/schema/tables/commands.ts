// Commands: instructions to agents. Issue and delivery rules: features/commands.

/** An instruction to an agent. */
export interface CommandRow {
  /** Identifies the command to agents. */
  id: string;
  /** The project of the agent. */
  project_id: string;
  /** The account that issued it; null for the service itself and after that account was deleted. */
  issued_by: string | null;
  /** The agent that it is sent to; set when it is issued. */
  agent_id: string | null;
  /** The requested action, such as retry_task. */
  action: string;
  /** What it acts on, such as a task or a queue. */
  target_type: string;
  /** Id or name of what it acts on; null for several. */
  target_id: string | null;
  /** The engine that carries it out; null if the agent has only one. */
  engine: string | null;
  /** JSON object for the agent. */
  payload: string;
  /** Unique in the project; a repeated request with the same key returns this command. */
  idempotency_key: string | null;
  /** Hash of the request that came with the key. */
  request_digest: string | null;
  /** See docs/internals/states/command.md. */
  status: string;
  /** JSON of the agent's result. */
  result: string | null;
  /** Why it did not complete. */
  error: string | null;
  /** Token that acknowledgement and result must carry; set by the claim. */
  delivery_claim_token: string | null;
  /** When it was requested. */
  issued_at: Date;
  /** When it was last claimed for sending; null while it is pending. */
  dispatched_at: Date | null;
  /** When the agent acknowledged it; ends re-sending. */
  acked_at: Date | null;
  /** When it was last sent or sent again. */
  last_sent_at: Date | null;
  /** When it reached a final status. */
  completed_at: Date | null;
  /** Without a result by then, it has timed out. */
  timeout_at: Date | null;
  /** Client address of the request; null for the service itself. */
  source_ip: string | null;
  /** The API key of the request; null for a session and for the service itself. */
  api_key_id: string | null;
}

/** A task that a command acts on, to find the commands of a task. Not stored for commands that the service issues to check a task. */
export interface CommandTaskRow {
  project_id: string;
  engine: string;
  /** As the engine names it. */
  task_id: string;
  command_id: string;
}
