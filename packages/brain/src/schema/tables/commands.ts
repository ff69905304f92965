// Commands: instructions to agents. Issue and delivery rules: features/commands.

/** An instruction to an agent. */
export interface CommandRow {
  /** Agents name the command by it. */
  id: string;
  /** The project of the agent. */
  project_id: string;
  /** The account; null for the service itself, and once the account was deleted. */
  issued_by: string | null;
  /** The agent that it is for; set when it is issued. */
  agent_id: string | null;
  /** What the agent is asked to do, such as retry_task. */
  action: string;
  /** What it acts on, such as a task or a queue. */
  target_type: string;
  /** Id or name of what it acts on; null for several. */
  target_id: string | null;
  /** Which engine carries it out; null when the agent is to use the only one that it has. */
  engine: string | null;
  /** JSON object for the agent. */
  payload: string;
  /** Unique in the project; a request that is repeated with it is answered by this command. */
  idempotency_key: string | null;
  /** Of the request that came with the key. */
  request_digest: string | null;
  /** docs/internals/states/command.md. */
  status: string;
  /** JSON of the agent's result. */
  result: string | null;
  /** Why it did not complete. */
  error: string | null;
  /** What acknowledgement and result must carry; given by the claim. */
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
  /** Without a result by then it has timed out. */
  timeout_at: Date | null;
  /** Client address of the request; null for the service itself. */
  source_ip: string | null;
  /** The API key of the request; null for a session and for the service itself. */
  api_key_id: string | null;
}

/** A task that a command acts on, so that a task's commands are found. Not kept for commands that the service issues to check a task. */
export interface CommandTaskRow {
  project_id: string;
  engine: string;
  /** As the engine names it. */
  task_id: string;
  command_id: string;
}
