/** One page of what an engine has given up on, as an online agent read it for this request. */
export interface DeadLetterPage {
  /** Newest first; empty where the engine tells the total only. */
  entries: DeadLetter[];
  next_cursor: string | null;
  total: number | null;
  engine: string;
  /** The agent that was asked. */
  agent_id: string;
}

export interface DeadLetter {
  task_id: string;
  task_name: string | null;
  queue: string;
  failed_at: string | null;
  /** The redacted end of the failure text, at most 512 characters. */
  error_excerpt: string | null;
  attempts: number | null;
}

export interface DeadLetterQuery {
  engine: string;
  /** Without it every queue that the adapter knows. */
  queue?: string;
  /** 1 to 200, by default 100. */
  limit?: number;
  /** `next_cursor` of the page before; with that page's `agent_id`, since no other agent knows it. */
  cursor?: string;
  /** The agent to ask; without it the one seen last of those that can tell. */
  agent_id?: string;
}
